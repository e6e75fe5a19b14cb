// A game against the server's players: what was played, who has won what; nothing is shown here.

import { cardSpoken, NotationError, positionAfter, readRecord, writeRecord } from "./notation.js";

/** @import { Objective } from "./api.js" */
/** @import { Round } from "./notation.js" */
/** @import { Params } from "./router.js" */

/**
 * @typedef {object} Game
 * @property {number} cards
 * @property {Objective} objective
 * @property {string} opponent
 * @property {number} seed
 * @property {Round[]} rounds
 */

export const FEWEST = 3;
export const MOST = 13;
/** @type {Pick<Game, "cards" | "objective" | "opponent">} */
const DEFAULTS = { cards: 7, objective: "points", opponent: "optimal" };
const SEEDS = 1e9;

export const OPPONENTS = {
  optimal: "Perfect play",
  uniform: "Random bids",
  match: "Bids the prize",
  "match+1": "Bids one more",
};

/** A number by which the server shuffles the prizes and draws the bids. */
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
 * The game that an address describes; throws what is wrong with its record.
 * @param {Params} params
 * @returns {Game}
 */
export function readGame(params) {
  const cards = Number(params.cards);
  const seed = /^\d{1,15}$/.test(params.seed ?? "") ? Number(params.seed) : newSeed();
  /** @type {Game} */
  const game = {
    cards: Number.isInteger(cards) && cards >= FEWEST && cards <= MOST ? cards : DEFAULTS.cards,
    objective: params.objective === "win" ? "win" : DEFAULTS.objective,
    opponent: params.opponent || DEFAULTS.opponent,
    seed,
    rounds: [],
  };
  try {
    const rounds = readRecord(params.record ?? "");
    positionAfter(game.cards, rounds);
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
export const writeGame = ({ cards, objective, opponent, seed, rounds }, hint = false) => ({
  cards,
  objective,
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
export const isOver = (game) => playedOf(game).length === game.cards;
/** @param {Game} game */
export const positionOf = (game) => positionAfter(game.cards, game.rounds);

/**
 * The game with its next prize turned up, the first of `upcards` that was not up before.
 * @param {Game} game
 * @param {number[]} upcards
 * @returns {Game}
 */
export function turned(game, upcards) {
  if (isOver(game) || isOpen(game.rounds.at(-1))) return game;
  const gone = new Set(game.rounds.map((round) => round.upcard));
  const upcard = upcards.find((card) => !gone.has(card));
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
 * Who took the prize of a round.
 * @param {Round} round
 */
export const taker = ({ mine, theirs }) => (mine > theirs ? "mine" : mine < theirs ? "theirs" : "nobody");

/**
 * The prizes that each side has taken, in order, and those that went to nobody.
 * @param {Game} game
 */
export function takings(game) {
  /** @type {Record<"mine" | "theirs" | "nobody", number[]>} */
  const taken = { mine: [], theirs: [], nobody: [] };
  for (const round of playedOf(game)) taken[taker(round)].push(round.upcard);
  return taken;
}

/** @param {number[]} cards */
export const total = (cards) => cards.reduce((sum, card) => sum + card, 0);

/**
 * What a round came to, in words.
 * @param {Round} round
 */
export function told(round) {
  const prize = cardSpoken(round.upcard);
  const bids = `You bid ${cardSpoken(round.mine)}, they bid ${cardSpoken(round.theirs)}.`;
  const outcome = {
    mine: `You take the ${prize}.`,
    theirs: `They take the ${prize}.`,
    nobody: `A tie: nobody takes the ${prize}.`,
  };
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
