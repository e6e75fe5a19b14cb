// Players that ask a table: perfect play, play that errs as people do, and one that makes the most of a player's errors.

import { mixOf } from "./answer.js";
import { cardName } from "./cards.js";
import { EngineError } from "./errors.js";
import { LADDER } from "./ladder.js";
import { interchangeableGroups } from "./matchups.js";
import { swap } from "./notation.js";
import { PLAYERS, simpleMix } from "./players.js";

/** @import { Solved } from "./answer.js" */
/** @import { Position } from "./notation.js" */
/** @import { Rules } from "./rules.js" */
/** @import { Tablebase } from "./tablebase.js" */

const SAME = 1e-9; // probabilities that differ by less are equally likely, and so are gains
const STEPS = 4; // cards that a safe mix is moved towards, one after the other
const LOWEST = "match-16"; // a step after which every card is too high: the lowest one is bid

/** Who somebody may play like; perfect play is the first. */
export const FAMILY = ["optimal", "forgetful", "predictable", "match", "match+1", "match-1", LOWEST, "uniform"];
const IMAGINED = [1, 0.1]; // bids as perfect play before anything was seen, and as each of the others
const ROUNDS = 60; // of expectation and maximisation
const LEAST = 0.005; // a share below this is not worth a name

/**
 * Whether a name is that of a player here.
 * @type {(name: string) => boolean}
 */
export const isPlayer = (name) =>
  PLAYERS.includes(name) ||
  FAMILY.includes(name) ||
  LADDER.some((rung) => rung.name === name) ||
  /^match[+-][0-9]{1,2}$/.test(name) ||
  (/^mix\(.*\)$/.test(name) && (sharesOf(name)?.every(([, part]) => isPlayer(part)) ?? false)) ||
  (/^exploit:[0-9.]+:./.test(name) && isPlayer(name.replace(/^exploit:[0-9.]+:/, "")));

/**
 * The shares of a mixture, [share, player]; null where it is none.
 * @param {string} name
 * @returns {[number, string][] | null}
 */
export function sharesOf(name) {
  const found = /^mix\((.*)\)$/.exec(name);
  if (!found) return null;
  const parts = found[1].split(",").map((part) => /^\s*([0-9]+(?:\.[0-9]+)?)\s+(\S.*?)\s*$/.exec(part));
  if (parts.some((part) => !part)) return null;
  const shares = parts.map((part) => /** @type {[number, string]} */ ([Number(part?.[1]), part?.[2] ?? ""]));
  const whole = shares.reduce((sum, [share]) => sum + share, 0);
  return whole > 0 ? shares.map(([share, player]) => [share / whole, player]) : null;
}

/**
 * The mix of a player: a probability for each card of its hand, ascending.
 * @param {string} player
 * @param {Position} position as the player sees it
 * @param {Rules} rules
 * @param {Tablebase} tablebase
 * @returns {Promise<number[]>}
 */
export async function mixAt(player, position, rules, tablebase) {
  const hand = position.mine.map(cardName);
  if (player === "optimal") {
    const mix = mixOf(await tablebase.solve(position));
    return hand.map((card) => mix[card]);
  }
  if (player === "forgetful") return mixAt("optimal", { ...position, theirs: position.mine }, rules, tablebase);
  if (player === "predictable") {
    const mix = await mixAt("optimal", position, rules, tablebase);
    const card = mix.findIndex((share) => share >= Math.max(...mix) - SAME);
    return mix.map((_, rank) => (rank === card ? 1 : 0));
  }
  const rung = LADDER.find(({ name }) => name === player);
  const shares = sharesOf(rung ? rung.plays : player);
  if (shares) {
    const mixes = await Promise.all(shares.map(([, part]) => mixAt(part, position, rules, tablebase)));
    return hand.map((_, rank) => shares.reduce((sum, [share], which) => sum + share * mixes[which][rank], 0));
  }
  const exploit = /^exploit:([0-9]+(?:\.[0-9]+)?):(.+)$/.exec(player);
  if (exploit) return safeMix(Number(exploit[1]), exploit[2], position, rules, tablebase);
  return simpleMix(player, position, rules);
}

/**
 * What each pair of cards is worth, `[mine][theirs]`.
 * @param {Solved} game
 */
export function matrixOf({ position, payoffs }) {
  const rows = interchangeableGroups(position.mine, position.theirs);
  const columns = interchangeableGroups(position.theirs, position.mine);
  return position.mine.map((mine) => {
    const row = payoffs[rows.findIndex((group) => group.includes(mine))];
    return position.theirs.map((theirs) => row[columns.findIndex((group) => group.includes(theirs))]);
  });
}

/** @type {(a: number[], b: number[]) => number} */
const dot = (a, b) => a.reduce((sum, number, index) => sum + number * b[index], 0);

/**
 * An optimal mix, leaning towards what gains against a player, as far as it loses no more than a risk a game.
 * @type {(risk: number, target: string, position: Position, rules: Rules, tablebase: Tablebase) => Promise<number[]>}
 */
async function safeMix(risk, target, position, rules, tablebase) {
  const game = await tablebase.solve(position);
  const [mixes, payoffs] = [mixOf(game), matrixOf(game)];
  const theirs = await mixAt(target, swap(position), rules, tablebase);
  const choices = rules.rounds - (rules.rounds === rules.cards ? 1 : 0); // the last card is no choice
  const floor = game.solution.value - risk / Math.max(choices, 1);
  const gains = payoffs.map((row) => dot(row, theirs));
  let mix = position.mine.map((card) => mixes[cardName(card)]);
  for (let step = 0; step < STEPS; step += 1) {
    const earned = position.theirs.map((_, column) => mix.reduce((sum, p, row) => sum + p * payoffs[row][column], 0));
    const share = payoffs.map((row) =>
      row.reduce((least, worth, column) => {
        const lost = earned[column] - worth;
        return lost > SAME ? Math.min(least, Math.max(earned[column] - floor, 0) / lost) : least;
      }, 1),
    );
    const now = dot(mix, gains);
    const gained = share.map((part, row) => part * (gains[row] - now));
    const most = Math.max(...gained);
    if (most <= SAME) break;
    const card = gained.findIndex((gain) => gain >= most - SAME);
    mix = mix.map((p, row) => p * (1 - share[card]) + (row === card ? share[card] : 0));
  }
  return mix;
}

/** A bid, and the position as its player saw it; 0 where nothing was bid yet. @typedef {[Position, number]} Observed */

/**
 * What bids tell: the mixes of the family at each of them, and how likely each makes it.
 * @param {Observed[]} bids
 * @param {Rules} rules
 * @param {Tablebase} tablebase
 */
export async function evidenceOf(bids, rules, tablebase) {
  const mixes = await Promise.all(
    bids.map(([position]) => Promise.all(FAMILY.map((player) => mixAt(player, position, rules, tablebase)))),
  );
  const tells = bids.map(([position, bid]) => position.mine.length > 1 && bid > 0);
  const likelihoods = bids.map(([position, bid], which) => {
    if (!tells[which]) return FAMILY.map(() => 1);
    const group = interchangeableGroups(position.mine, position.theirs).find((cards) => cards.includes(bid)) ?? [bid];
    return mixes[which].map((mix) =>
      group.reduce((sum, card) => sum + mix[position.mine.indexOf(card)], 0),
    );
  });
  return { mixes, tells, likelihoods };
}

/**
 * The shares of the family that explain bids best.
 * @param {number[][]} likelihoods of each bid by each player
 */
export function fitted(likelihoods) {
  const imagined = FAMILY.map((_, which) => IMAGINED[which ? 1 : 0]);
  const all = imagined.reduce((sum, count) => sum + count, 0);
  let shares = imagined.map((count) => count / all);
  for (let round = 0; round < ROUNDS; round += 1) {
    const counts = [...imagined];
    for (const bid of likelihoods) {
      const whole = dot(bid, shares);
      for (const [which, likely] of bid.entries()) counts[which] += (likely * shares[which]) / whole;
    }
    const total = counts.reduce((sum, count) => sum + count, 0);
    shares = counts.map((count) => count / total);
  }
  return shares;
}

/**
 * What loads a player of such shares; those that do not count are left out.
 * @param {number[]} shares
 */
export function mixtureName(shares) {
  const percent = shares.map((share, which) => ({ share: Math.round(1000 * share) / 10, player: FAMILY[which] }));
  const kept = percent.filter(({ share }) => share >= 100 * LEAST);
  return `mix(${kept.map(({ share, player }) => `${share} ${player}`).join(", ")})`;
}

/**
 * The mix at each position of some bids: of a known player, or by what all other bids tell.
 * @param {string | null} player
 * @param {Observed[]} bids
 * @param {Rules} rules
 * @param {Tablebase} tablebase
 * @returns {Promise<{ player: string | null, contradiction: string, shares: number[], mixes: number[][] }>}
 */
export async function sideOf(player, bids, rules, tablebase) {
  let contradiction = "";
  if (player) {
    const mixes = await Promise.all(bids.map(([position]) => mixAt(player, position, rules, tablebase)));
    const never = bids.findIndex(([position, bid], which) => {
      if (!bid) return false;
      const group = interchangeableGroups(position.mine, position.theirs).find((cards) => cards.includes(bid)) ?? [];
      return !group.some((card) => mixes[which][position.mine.indexOf(card)] > 0);
    });
    if (never < 0) return { player, contradiction, shares: [], mixes };
    contradiction = `${player}, who never bids the ${cardName(bids[never][1])} in round ${never + 1}`;
  }
  const { mixes, likelihoods, tells } = await evidenceOf(bids, rules, tablebase);
  const foreseen = mixes.map((family, which) => {
    const shares = fitted(likelihoods.filter((_, other) => tells[other] && other !== which));
    return family[0].map((_, rank) => shares.reduce((sum, share, one) => sum + share * family[one][rank], 0));
  });
  return { player: null, contradiction, shares: fitted(likelihoods.filter((_, which) => tells[which])), mixes: foreseen };
}

/** @param {string} name */
export function knownPlayer(name) {
  if (!isPlayer(name)) throw new EngineError("player", `no player is called “${name.slice(0, 40)}” here`);
  return name;
}
