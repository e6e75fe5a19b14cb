// A game against the server's players: what was played, who has won what; nothing is shown here.

import { cardSpoken, positionAfter, readRecord, writeRecord } from "./notation.js";

export const FEWEST = 3;
export const MOST = 13;
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

/** The game that an address describes; throws what is wrong with its record. */
export function readGame(params) {
  const cards = Number(params.cards);
  const seed = /^\d{1,15}$/.test(params.seed ?? "") ? Number(params.seed) : newSeed();
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
    error.game = game; // to start it anew
    throw error;
  }
}

/** The parameters of a game's address. */
export const writeGame = ({ cards, objective, opponent, seed, rounds }, hint = false) => ({
  cards,
  objective,
  opponent,
  seed,
  record: writeRecord(rounds).replaceAll(" ", "_"),
  hint: hint ? 1 : null,
});

export const isOpen = (round) => Boolean(round) && !round.mine;
export const playedOf = (game) => game.rounds.filter((round) => !isOpen(round));
export const isOver = (game) => playedOf(game).length === game.cards;
export const positionOf = (game) => positionAfter(game.cards, game.rounds);

/** The game with its next prize turned up, the first of `upcards` that was not up before. */
export function turned(game, upcards) {
  if (isOver(game) || isOpen(game.rounds.at(-1))) return game;
  const gone = new Set(game.rounds.map((round) => round.upcard));
  const upcard = upcards.find((card) => !gone.has(card));
  return { ...game, rounds: [...game.rounds, { upcard, mine: 0, theirs: 0 }] };
}

/** The game after both bids. */
export function bidden(game, mine, theirs) {
  const last = { ...game.rounds.at(-1), mine, theirs };
  const next = { ...game, rounds: [...game.rounds.slice(0, -1), last] };
  positionOf(next); // refuses what cannot be
  return next;
}

/** Who took the prize of a round: mine, theirs or nobody. */
export const taker = ({ mine, theirs }) => (mine > theirs ? "mine" : mine < theirs ? "theirs" : "nobody");

/** The prizes that each side has taken, in order, and those that went to nobody. */
export function takings(game) {
  const taken = { mine: [], theirs: [], nobody: [] };
  for (const round of playedOf(game)) taken[taker(round)].push(round.upcard);
  return taken;
}

export const total = (cards) => cards.reduce((sum, card) => sum + card, 0);

/** What a round came to, in words. */
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

/** How a game ended, in words. */
export function ended(game) {
  const taken = takings(game);
  const [mine, theirs] = [total(taken.mine), total(taken.theirs)];
  const score = `${mine} to ${theirs}`;
  return mine > theirs ? `You win, ${score}.` : mine < theirs ? `You lose, ${score}.` : `A draw, ${score}.`;
}
