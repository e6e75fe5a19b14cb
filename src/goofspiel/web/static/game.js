// A game: where it began, what was played, who has won what, and who sits at the table; nothing is shown here.

import { gameParams, readGameParams } from "./addresses.js";
import { cardSpoken, NotationError, without } from "./engine/cards.js";
import { highestCard, positionAfter, positionInUrl, problemOf, readPosition } from "./engine/notation.js";
import { readRecord, start, swap, writePosition, writeRecord } from "./engine/notation.js";
import { isOverAt, lastLevel, nests, usual, withCards } from "./engine/rules.js";

/** @import { Params } from "./addresses.js" */
/** @import { Position, Round } from "./engine/notation.js" */
/** @import { Rules } from "./engine/rules.js" */

/**
 * @typedef {object} Game
 * @property {Rules} rules
 * @property {string} opponent
 * @property {number} seed
 * @property {Position | null} from where it began, if not at the opening
 * @property {Round[]} rounds
 */

/** @typedef {"mine" | "theirs"} Side */
/** @typedef {Side | "nobody" | "pot"} Taker */

/**
 * How a view of a game is kept in its address, besides the game.
 * @typedef {object} Shown
 * @property {string | null} [hint] against whom: 1 is perfect play
 * @property {number | null} [round] that is looked at
 * @property {Side} [side] whose play is reviewed
 */

const CARDS = 7;
const OPPONENT = "casual"; // who can be beaten
const SEEDS = 1e9;

/** The opponent who is a person at the same device. */
export const PERSON = "human";
const ALONE = { mine: "You", theirs: "They", them: "they" };
const TOGETHER = { mine: "Spades", theirs: "Hearts", them: "Hearts" };

/** @param {Game} game */
export const isShared = ({ opponent }) => opponent === PERSON;
/** What the two sides are called; each name is a plural. @param {Game} game */
export const namesOf = (game) => (isShared(game) ? TOGETHER : ALONE);
/** @type {(side: Side) => Side} */
export const otherSide = (side) => (side === "mine" ? "theirs" : "mine");
/**
 * Of two people, who bids first: the one who bid last in the round before, and so holds the device.
 * @param {Game} game
 * @returns {Side}
 */
export const firstBidder = (game) => (isShared(game) && playedOf(game).length % 2 ? "theirs" : "mine");

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
  const game = { rules: usual(CARDS), opponent: params.opponent || OPPONENT, seed, from: null, rounds: [] };
  try {
    const rounds = readRecord(params.record ?? "");
    // A record alone says how many cards there are at least.
    const played = rounds.flatMap(({ upcard, mine, theirs }) => [upcard, mine, theirs]);
    const least = params.from ? 2 : rounds.length ? Math.max(rounds.length, ...played) : CARDS;
    game.rules = readGameParams(params, { cards: least });
    const from = params.from ? beginningOf(params.from, game.rules) : null;
    if (from && nests(game.rules)) game.rules = withCards(game.rules, Math.max(game.rules.cards, highestCard(from)));
    positionAfter(game.rules, rounds, from);
    return { ...game, from, rounds };
  } catch (error) {
    throw error instanceof NotationError ? new RecordError(error.message, game) : error;
  }
}

/** @type {(text: string, rules: Rules) => Position} */
function beginningOf(text, rules) {
  const from = readPosition(text, rules);
  const wrong = problemOf(from, rules);
  if (wrong) throw new NotationError(`${wrong} “${writePosition(from)}”`);
  if (isOverAt(rules, from.mine.length)) throw new NotationError(`nothing is left to bid for: “${writePosition(from)}”`);
  return from;
}

/**
 * The parameters of a game's address.
 * @param {Game} game
 * @param {Shown} shown
 */
export const writeGame = ({ rules, opponent, seed, from, rounds }, { hint = null, round = null, side = "mine" } = {}) => ({
  ...gameParams(rules),
  opponent,
  seed,
  from: from && positionInUrl(from),
  record: writeRecord(rounds).replaceAll(" ", "_"),
  hint,
  round,
  side: side === "mine" ? null : side,
});

/**
 * The same game as the other side sees it.
 * @param {Game} game
 * @returns {Game}
 */
export const swapGame = (game) => ({
  ...game,
  from: game.from && swap(game.from),
  rounds: game.rounds.map(({ upcard, mine, theirs }) => ({ upcard, mine: theirs, theirs: mine })),
});

/** @param {Round | undefined} round */
const isOpen = (round) => round !== undefined && !round.mine;
/** @param {Game} game */
export const playedOf = (game) => game.rounds.filter((round) => !isOpen(round));
/** @param {Game} game */
const levelOf = ({ rules, from }) => (from ?? start(rules)).mine.length;
/** How many rounds it has. @param {Game} game */
export const lengthOf = (game) => levelOf(game) - lastLevel(game.rules);
/** @param {Game} game */
export const isOver = (game) => isOverAt(game.rules, levelOf(game) - playedOf(game).length);
/** @param {Game} game */
export const positionOf = (game) => positionAfter(game.rules, game.rounds, game.from);
/** The game as it was after so many rounds. @type {(game: Game, rounds: number) => Game} */
export const gameAfter = (game, rounds) => ({ ...game, rounds: playedOf(game).slice(0, rounds) });

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

/** What was there before the first round: points, but no card to be seen. @type {(points: number) => Round[]} */
const given = (points) => (points > 0 ? [{ upcard: points, mine: 0, theirs: 0 }] : []);

/**
 * The rounds whose prizes each side has taken, those that wait in the pot, and those that went to nobody.
 * @param {Game} game
 */
export function takings(game) {
  const { lead = 0, pot = 0 } = game.from ?? {};
  /** @type {Record<Taker, Round[]>} */
  const taken = { mine: given(lead), theirs: given(-lead), nobody: [], pot: given(pot) };
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
  const [played, names] = [playedOf(game), namesOf(game)];
  const round = played[played.length - 1];
  const pot = total(takings(gameAfter(game, played.length - 1)).pot);
  const prize = `the ${cardSpoken(round.upcard)}${pot ? ` and the ${pot} in the pot` : ""}`;
  const bids = `${names.mine} bid ${cardSpoken(round.mine)}, ${names.them} bid ${cardSpoken(round.theirs)}.`;
  const now = pot ? `, now ${pot + round.upcard}` : "";
  const waits = !game.rules.carry
    ? `nobody takes the ${cardSpoken(round.upcard)}.`
    : isOver(game)
      ? `no round is left, and what is in the pot (${pot + round.upcard}) is nobody's.`
      : `the ${cardSpoken(round.upcard)} goes into the pot${now}. The next winner takes it, too.`;
  const takes = { mine: `${names.mine} take ${prize}.`, theirs: `${names.theirs} take ${prize}.` };
  const outcome = { ...takes, nobody: `A tie: ${waits}` };
  return `${bids} ${outcome[taker(round)]}`;
}

/**
 * How a game ended, in words.
 * @param {Game} game
 */
export function ended(game) {
  const taken = takings(game);
  const [mine, theirs] = [total(taken.mine), total(taken.theirs)];
  if (mine === theirs) return `A draw, ${mine} to ${theirs}.`;
  if (isShared(game) && theirs > mine) return `${TOGETHER.theirs} win, ${theirs} to ${mine}.`;
  return `${namesOf(game).mine} ${mine > theirs ? "win" : "lose"}, ${mine} to ${theirs}.`;
}
