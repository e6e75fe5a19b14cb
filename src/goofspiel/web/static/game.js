// A game against the engine's players: what was played, who has won what; nothing is shown here.

import { gameParams, readGameParams } from "./addresses.js";
import { cardSpoken, NotationError, without } from "./engine/cards.js";
import { positionAfter, readRecord, writeRecord } from "./engine/notation.js";
import { isOverAt, usual } from "./engine/rules.js";

/** @import { Params } from "./addresses.js" */
/** @import { Round } from "./engine/notation.js" */
/** @import { Rules } from "./engine/rules.js" */

/**
 * @typedef {object} Game
 * @property {Rules} rules
 * @property {string} opponent
 * @property {number} seed
 * @property {Round[]} rounds
 */

/** @typedef {"mine" | "theirs" | "nobody" | "pot"} Taker */

const CARDS = 7;
const OPPONENT = "casual"; // who can be beaten
const SEEDS = 1e9;

/** A number by which the prizes are shuffled and bids are drawn. */
export const newSeed = () => crypto.getRandomValues(new Uint32Array(1))[0] % SEEDS;

/** What is wrong with the record of a game; and the game without it, to start it anew. */
export class RecordError extends Error {
  /**
   * @param {string} message
   * @param {Game} game
   */
  constructor(message, game) {
    super(message);
    this.game = game;
  }
}

/**
 * The game that an address describes; throws what is wrong with its rules or its record.
 * @param {Params} params
 * @returns {Game}
 */
export function readGame(params) {
  const seed = /^\d{1,15}$/.test(params.seed ?? "") ? Number(params.seed) : newSeed();
  /** @type {Game} */
  const game = { rules: usual(CARDS), opponent: params.opponent || OPPONENT, seed, rounds: [] };
  try {
    const rounds = readRecord(params.record ?? "");
    // A record alone says how many cards there are at least.
    const played = rounds.flatMap(({ upcard, mine, theirs }) => [upcard, mine, theirs]);
    game.rules = readGameParams(params, { cards: rounds.length ? Math.max(rounds.length, ...played) : CARDS });
    positionAfter(game.rules, rounds);
    return { ...game, rounds };
  } catch (error) {
    throw error instanceof NotationError ? new RecordError(error.message, game) : error;
  }
}

/**
 * The parameters of a game's address.
 * @param {Game} game
 * @param {boolean} hint
 */
export const writeGame = ({ rules, opponent, seed, rounds }, hint = false) => ({
  ...gameParams(rules),
  opponent,
  seed,
  record: writeRecord(rounds).replaceAll(" ", "_"),
  hint: hint ? 1 : null,
});

/** @param {Round | undefined} round */
export const isOpen = (round) => round !== undefined && !round.mine;
/** @param {Game} game */
export const playedOf = (game) => game.rounds.filter((round) => !isOpen(round));
/** @param {Game} game */
export const isOver = (game) => isOverAt(game.rules, game.rules.cards - playedOf(game).length);
/** @param {Game} game */
export const positionOf = (game) => positionAfter(game.rules, game.rounds);

/**
 * The game with its next prize turned up, the first of `upcards` that was not up before.
 * @param {Game} game
 * @param {number[]} upcards
 * @returns {Game}
 */
export function turned(game, upcards) {
  if (isOver(game) || isOpen(game.rounds.at(-1))) return game;
  const [upcard] = game.rounds.reduce((left, round) => without(left, round.upcard), upcards);
  if (upcard === undefined) throw new Error(`no prize of ${upcards.join(" ")} is left`);
  return { ...game, rounds: [...game.rounds, { upcard, mine: 0, theirs: 0 }] };
}

/**
 * The game after both bids.
 * @param {Game} game
 * @param {number} mine
 * @param {number} theirs
 * @returns {Game}
 */
export function bidden(game, mine, theirs) {
  const next = { ...game, rounds: game.rounds.map((round) => (isOpen(round) ? { ...round, mine, theirs } : round)) };
  positionOf(next); // refuses what cannot be
  return next;
}

/**
 * Who bid more in a round.
 * @param {Round} round
 */
export const taker = ({ mine, theirs }) => (mine > theirs ? "mine" : mine < theirs ? "theirs" : "nobody");

/**
 * The rounds whose prizes each side has taken, those that wait in the pot, and those that went to nobody.
 * @param {Game} game
 */
export function takings(game) {
  /** @type {Record<Taker, Round[]>} */
  const taken = { mine: [], theirs: [], nobody: [], pot: [] };
  for (const round of playedOf(game)) {
    const who = taker(round);
    if (who === "nobody" && game.rules.carry) taken.pot.push(round);
    else taken[who].push(...taken.pot.splice(0), round);
  }
  if (isOver(game)) taken.nobody.push(...taken.pot.splice(0));
  return taken;
}

/** @param {Round[]} rounds */
export const total = (rounds) => rounds.reduce((sum, round) => sum + round.upcard, 0);

/**
 * What the last round came to, in words.
 * @param {Game} game
 */
export function told(game) {
  const played = playedOf(game);
  const round = played[played.length - 1];
  const pot = total(takings({ ...game, rounds: played.slice(0, -1) }).pot);
  const prize = `the ${cardSpoken(round.upcard)}${pot ? ` and the ${pot} in the pot` : ""}`;
  const bids = `You bid ${cardSpoken(round.mine)}, they bid ${cardSpoken(round.theirs)}.`;
  const now = pot ? `, now ${pot + round.upcard}` : "";
  const waits = !game.rules.carry
    ? `nobody takes the ${cardSpoken(round.upcard)}.`
    : isOver(game)
      ? `no round is left, and what is in the pot (${pot + round.upcard}) is nobody's.`
      : `the ${cardSpoken(round.upcard)} goes into the pot${now}. The next winner takes it, too.`;
  const outcome = { mine: `You take ${prize}.`, theirs: `They take ${prize}.`, nobody: `A tie: ${waits}` };
  return `${bids} ${outcome[taker(round)]}`;
}

/**
 * How a game ended, in words.
 * @param {Game} game
 */
export function ended(game) {
  const taken = takings(game);
  const [mine, theirs] = [total(taken.mine), total(taken.theirs)];
  const score = `${mine} to ${theirs}`;
  return mine > theirs ? `You win, ${score}.` : mine < theirs ? `You lose, ${score}.` : `A draw, ${score}.`;
}
