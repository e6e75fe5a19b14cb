// What many games tell of how somebody bids: how often beside perfect play, what that costs, and how sure that is.
//
// A habit is a kind of bid, such as the King on the King, that is made more or less often than perfect play makes it in
// the same positions. Its cost is what an opponent who knows it, and nothing else, gains by it in a game.

import { mixOf, regretsOf } from "./answer.js";
import { cardName, counted } from "./cards.js";
import { interchangeableGroups } from "./matchups.js";
import { beforeUpcard } from "./notation.js";
import { observed } from "./models.js";
import { matrixOf } from "./opponents.js";
import { isSettled } from "./reviews.js";
import { DECIMALS, fixed, wholePercent } from "./rounded.js";
import { nests, UNITS, writeRules } from "./rules.js";

/** @import { Solved } from "./answer.js" */
/** @import { Position, Round } from "./notation.js" */
/** @import { Rules } from "./rules.js" */

/** What solves positions of a game. @typedef {{ solve: (position: Position) => Promise<Solved> }} Solver */

/**
 * A kind of bid, and how often it is made where it could be.
 * @typedef {object} Habit
 * @property {string | null} upcard for which prize; null: for any
 * @property {string} stage in which part of the game
 * @property {string | null} card which card; null where the kind is a relation to the prize
 * @property {string} relation below, the same as, or above the prize; or nothing where it is a card
 * @property {number} bids how often it could have been made
 * @property {number} rate how often it was
 * @property {number} perfect how often perfect play makes it there
 * @property {number} cost what who knows it gains a game, in the objective
 * @property {number} sure 1 less the probability that one who plays perfectly looks so by chance
 * @property {string} words the habit in a sentence
 */

/**
 * All of somebody's games under the same rules.
 * @typedef {object} Habits
 * @property {string} rules
 * @property {number} games
 * @property {number} bids those that were a choice and could matter
 * @property {number} regret what the bids cost against perfect play, a game, in the mean
 * @property {number | null} regret_error half of the interval that holds the mean with 95 % confidence; null for one game
 * @property {Habit[]} habits those that are sure first, and among them the costliest
 */

/** A choice, and all that is known of it. @typedef {object} Bid
 * @property {number} game
 * @property {Position} position
 * @property {number} bid
 * @property {string} stage
 * @property {number[]} mix
 * @property {number[][]} payoffs
 * @property {number} value
 * @property {number} regret
 * @property {number[][]} groups cards that nothing tells apart
 */

export const STAGES = ["first third", "second third", "last third"];
export const WHOLE = "whole game";
const RELATIONS = ["below the prize", "the prize's own card", "above the prize"];
const NOTHING = 1e-9; // a cost below this is rounding
export const SURE = 0.95; // from here on a habit is called one

/** @type {(numbers: number[]) => number} */
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
/** @type {(a: number[], b: number[]) => number} */
const dot = (a, b) => a.reduce((total, number, index) => total + number * b[index], 0);

/**
 * My habits in games of the same rules.
 * @param {Rules} rules
 * @param {Round[][]} games
 * @param {Solver} solver
 * @returns {Promise<Habits>}
 */
export async function habitsOf(rules, games, solver) {
  const played = games.filter((rounds) => rounds.length);
  const bids = await bidsOf(rules, played, solver);
  const byGame = played.map(() => 0);
  for (const { game, regret } of bids) byGame[game] += regret;
  const mean = sum(byGame) / Math.max(played.length, 1);
  const variance = sum(byGame.map((lost) => (lost - mean) ** 2)) / (played.length - 1);
  return {
    rules: writeRules(rules),
    games: played.length,
    bids: bids.length,
    regret: mean,
    regret_error: played.length > 1 ? 1.96 * Math.sqrt(variance / played.length) : null,
    habits: found(bids, played.length, rules),
  };
}

/**
 * Every choice of mine that could matter.
 * @type {(rules: Rules, games: Round[][], solver: Solver) => Promise<Bid[]>}
 */
async function bidsOf(rules, games, solver) {
  /** @type {Bid[]} */
  const bids = [];
  for (const [game, rounds] of games.entries()) {
    const made = observed(rules, rounds)
      .map(([position, bid], number) => ({
        position,
        bid,
        stage: STAGES[Math.floor((number * STAGES.length) / rules.rounds)],
      }))
      .filter(
        ({ position }) => position.mine.length > 1 && !isSettled(beforeUpcard(position, Boolean(rules.order)), rules),
      );
    const solved = await Promise.all(made.map(({ position }) => solver.solve(position)));
    bids.push(...made.map((one, which) => bidOf(game, one, solved[which])));
  }
  return bids;
}

/** @type {(game: number, made: Pick<Bid, "position" | "bid" | "stage">, solved: Solved) => Bid} */
function bidOf(game, made, solved) {
  const [mixes, lost] = [mixOf(solved), regretsOf(solved)[cardName(made.bid)]];
  return {
    ...made,
    game,
    mix: made.position.mine.map((card) => mixes[cardName(card)]),
    payoffs: matrixOf(solved),
    value: solved.solution.value,
    regret: lost > NOTHING ? lost : 0,
    groups: interchangeableGroups(made.position.mine, made.position.theirs),
  };
}

/**
 * The bids where a kind could have been made, and need not have been; with 1 for each card of it.
 * @typedef {[Bid, number[]][]} Kind
 */

/** @typedef {Pick<Habit, "upcard" | "stage" | "card" | "relation">} Where  Which kind it is. */

/** @type {(bids: Bid[], holds: (card: number, upcard: number) => boolean) => Kind} */
function kindOf(bids, holds) {
  return bids.flatMap((bid) => {
    const { mine, upcard } = bid.position;
    // Cards interchangeable with one that is of a kind count as it does.
    const cards = bid.groups.flatMap((group) => {
      const holding = Number(group.some((card) => holds(card, upcard)));
      return group.map(() => holding);
    });
    const count = sum(cards);
    return count > 0 && count < mine.length ? [/** @type {[Bid, number[]]} */ ([bid, cards])] : [];
  });
}

/**
 * All kinds of bids that were looked at, those that are sure first.
 * @type {(bids: Bid[], games: number, rules: Rules) => Habit[]}
 */
function found(bids, games, rules) {
  /** @type {[Kind, Where][]} */
  const looked = [];
  const upcards = [...new Set(bids.map(({ position }) => position.upcard))].sort((a, b) => a - b);
  for (const upcard of upcards) {
    const here = bids.filter(({ position }) => position.upcard === upcard);
    for (const stage of [WHOLE, ...STAGES]) {
      const some = here.filter((bid) => stage === WHOLE || bid.stage === stage);
      const cards = new Set(some.flatMap((bid) => [bid.bid, favourite(bid)]));
      for (const card of [...cards].sort((a, b) => a - b)) {
        const kind = kindOf(some, (held) => held === card);
        looked.push([kind, { upcard: cardName(upcard), stage, card: cardName(card), relation: "" }]);
      }
    }
  }
  for (const stage of nests(rules) ? STAGES : []) {
    const some = bids.filter((bid) => bid.stage === stage);
    for (const [index, relation] of RELATIONS.entries()) {
      const kind = kindOf(some, (held, upcard) => Math.sign(held - upcard) === index - 1);
      looked.push([kind, { upcard: null, stage, card: null, relation }]);
    }
  }
  const kinds = looked.filter(([kind]) => kind.length);
  return kinds
    .map(([kind, where]) => habitOf(kind, games, kinds.length, where, rules))
    .filter(({ cost }) => cost > NOTHING)
    .sort((a, b) => Number(a.sure < SURE) - Number(b.sure < SURE) || b.cost - a.cost);
}

/** The card that perfect play bids most often, which somebody may never bid. @param {Bid} bid */
const favourite = ({ position, mix }) => position.mine[mix.indexOf(Math.max(...mix))];

/** @type {(kind: Kind, games: number, looked: number, where: Where, rules: Rules) => Habit} */
function habitOf(kind, games, looked, where, rules) {
  const made = sum(kind.map(([{ position, bid }, cards]) => cards[position.mine.indexOf(bid)]));
  const shares = kind.map(([{ mix }, cards]) => dot(mix, cards));
  const [rate, perfect] = [made / kind.length, sum(shares) / kind.length];
  const habit = {
    ...where,
    bids: kind.length,
    rate,
    perfect,
    cost: sum(kind.map(([bid, cards]) => costOf(bid, cards, rate, perfect))) / games,
    sure: Math.max(1 - looked * tail(shares, made), 0),
  };
  return { ...habit, words: sentence(habit, rules) };
}

/**
 * What is lost to one who knows it, where the kind is made at this rate.
 * @type {(bid: Bid, cards: number[], rate: number, perfect: number) => number}
 */
function costOf({ mix, payoffs, value }, cards, rate, perfect) {
  if (Math.abs(rate - perfect) <= NOTHING) return 0;
  const share = dot(mix, cards);
  const count = sum(cards);
  /** @type {number[]} */
  let moved;
  if (rate > perfect) {
    const more = (rate - perfect) / (1 - perfect);
    moved = mix.map((p, rank) => {
      const inside = share > NOTHING ? (p * cards[rank]) / share : cards[rank] / count;
      return (1 - more) * p + more * inside;
    });
  } else if (share < 1 - NOTHING) {
    const kept = rate / perfect;
    moved = mix.map((p, rank) => (cards[rank] ? kept * p : (p * (1 - kept * share)) / (1 - share)));
  } else {
    const kept = rate / perfect;
    moved = mix.map((p, rank) => kept * p + ((1 - kept) * (1 - cards[rank])) / (cards.length - count));
  }
  const earned = payoffs[0].map((_, column) => sum(moved.map((p, row) => p * payoffs[row][column])));
  return Math.max(value - Math.min(...earned), 0);
}

/**
 * How likely independent events of these probabilities happen so often or more, or so often or less: the smaller.
 * @param {number[]} probabilities
 * @param {number} count
 */
export function tail(probabilities, count) {
  const spread = [1, ...probabilities.map(() => 0)];
  for (const [done, raw] of probabilities.entries()) {
    const probability = Math.min(Math.max(raw, 0), 1);
    for (let at = done + 1; at > 0; at -= 1) spread[at] = spread[at] * (1 - probability) + spread[at - 1] * probability;
    spread[0] *= 1 - probability;
  }
  return Math.min(sum(spread.slice(count)), sum(spread.slice(0, count + 1)), 1);
}

/** A habit in words. @type {(habit: Omit<Habit, "words">, rules: Rules) => string} */
function sentence({ card, relation, upcard, stage, rate, perfect, cost, sure, bids }, { objective }) {
  const what = card ? `the ${card}` : relation;
  const where = upcard ? ` on the ${upcard}` : "";
  const when = stage === WHOLE ? "" : ` in the ${stage}`;
  const rates = `${wholePercent(rate)} of the time, perfect play ${wholePercent(perfect)}`;
  const gains = `who can count on that gains ${fixed(cost, DECIMALS[objective])} ${UNITS[objective]} a game`;
  let certain = ", may be chance";
  if (sure >= SURE) {
    certain = `, ${Number(Math.min(100 * sure, 99.9).toPrecision(3))} % sure not to be chance`;
    if (perfect <= NOTHING) certain = "; perfect play never does so"; // sure after a single bid
    if (perfect >= 1 - NOTHING) certain = "; perfect play always does so";
  }
  return `You bid ${what}${where}${when} ${rates}: ${gains} (${counted(bids, "bid")}${certain}).`;
}
