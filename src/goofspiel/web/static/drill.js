// What is shown of a drill: the position on the felt, the bars of a mix, and what an answer was worth.

import { exploreAddress, viewAddress } from "./addresses.js";
import { chip, picture, place } from "./cards.js";
import { el, hidden, tableHead } from "./dom.js";
import { myHand, theirHand } from "./felt.js";
import { cost, count, digitsOf, isFree, percent, percentShort, signed, UNITS } from "./format.js";
import { byCard, cardLabel, cardName, cardSpoken } from "./engine/cards.js";
import { note } from "./words.js";

/** @import { Answer, ByCard } from "./api.js" */
/** @import { Puzzle, Score } from "./engine/drills.js" */
/** @import { Marks } from "./felt.js" */

/**
 * @typedef {object} Drill
 * @property {Puzzle} puzzle
 * @property {Answer} answer
 * @property {Score | null} score null until it is answered
 * @property {number} card the bid, where a single card was the answer; else 0
 * @property {ByCard} mix the mix that was the answer
 */

const MOST = 100; // of a bar
/** Who sits where. @type {Record<"mine" | "theirs", "mine" | "theirs">} */
const OWNERS = { mine: "mine", theirs: "theirs" };

/**
 * What is asked, in words.
 * @param {Puzzle} puzzle
 */
export function question({ rules, position }) {
  const goal = rules.objective === "win" ? "Only who has more points at the end counts." : "Every point counts.";
  const stands = position.lead ? `You are ${behind(position.lead)}. ` : "";
  return `${stands}${goal} What do you bid for the ${cardSpoken(position.upcard)}?`;
}

/** @param {number} lead */
const behind = (lead) => `${count(Math.abs(lead), "point")} ${lead < 0 ? "behind" : "ahead"}`;

/**
 * The table with the position.
 * @param {Drill} drill
 * @param {string} words
 * @param {{ bid: (card: number) => void, next: () => void }} handlers
 */
export function drillFelt({ puzzle, answer, score, card, mix }, words, { bid, next }) {
  const { position } = puzzle;
  return el(
    "section",
    { class: "felt drill", "aria-label": "The position", "data-phase": score ? "answered" : "bid" },
    el("p", { class: "holds" }, "They hold"),
    theirHand(position, OWNERS),
    el(
      "div",
      { class: "middle" },
      el(
        "div",
        { class: "side mine" },
        el(
          "div",
          { class: "bid", "data-drop": true },
          card ? picture(card, "mine", { class: "turned" }) : place("your bid"),
        ),
        el("p", { class: "under" }, card ? `You: ${cardSpoken(card)}` : score ? "You: a mix" : "You"),
      ),
      el(
        "div",
        { class: "prize" },
        el(
          "div",
          { class: "upcard" },
          picture(position.upcard, "prize"),
          hidden(`the prize is ${cardSpoken(position.upcard)}`),
        ),
        el("p", { class: "deck" }, "to come: ", el("b", {}, position.deck.map(cardLabel).join(" ") || "nothing")),
        position.lead ? el("p", { class: "deck" }, behind(position.lead)) : null,
      ),
      el(
        "div",
        { class: "side theirs" },
        el("div", { class: "bid" }, score ? picture(score.reply, "theirs", { class: "turned" }) : place("their bid")),
        el("p", { class: "under" }, score ? `Their best answer: ${cardSpoken(score.reply)}` : "They"),
      ),
    ),
    el("p", { class: "said" }, score ? el("span", {}, el("strong", {}, verdict(score)), ` ${score.why}`) : words),
    score
      ? el("button", { type: "button", class: "main", "data-key": "next", onclick: next }, "Next ", el("kbd", {}, "n"))
      : null,
    myHand(position, OWNERS, 0, score ? "sealed" : "bid", score ? marksOf(beside(answer, mix)) : null, bid),
  );
}

/** What is written under the cards: how often a mix bids them. @type {(mix: ByCard) => Marks} */
const marksOf = (mix) =>
  Object.fromEntries(
    Object.entries(mix).map(([card, share]) => [
      card,
      { short: percentShort(share), said: `${percent(share)} in a perfect mix` },
    ]),
  );

/** @param {Score} score */
export const verdict = ({ right }) => (right ? "Right." : "Not so.");

/**
 * The perfect mix beside another one: of cards that are interchangeable it bids those that the other does.
 * @param {Answer} answer
 * @param {ByCard} mix
 * @returns {ByCard}
 */
function beside({ mine, interchangeable }, mix) {
  const found = { ...mine };
  for (const group of interchangeable) {
    const [whole, bid] = [mine, mix].map((shares) => group.reduce((sum, card) => sum + (shares[card] ?? 0), 0));
    if (bid > 0) for (const card of group) found[card] = (whole * (mix[card] ?? 0)) / bid;
  }
  return found;
}

/**
 * The bars by which a mix is set.
 * @param {number[]} hand
 * @param {(mix: ByCard) => void} score
 */
export function mixPanel(hand, score) {
  const rows = hand.map((card) => {
    const output = el("output", {}, "–");
    const field = el("input", {
      type: "range",
      min: 0,
      max: MOST,
      step: 1,
      value: 0,
      "aria-label": `Share of the ${cardSpoken(card)}`,
      "data-key": `share ${card}`,
      oninput: () => show(),
    });
    return { card, field, output };
  });
  const submit = el("button", { class: "main" }, "Score this mix");
  /** @returns {ByCard} */
  const shares = () => Object.fromEntries(rows.map(({ card, field }) => [cardName(card), Number(field.value)]));
  const show = () => {
    const whole = rows.reduce((sum, { field }) => sum + Number(field.value), 0);
    for (const { field, output } of rows) {
      const share = whole ? Number(field.value) / whole : 0;
      output.textContent = percentShort(share);
      field.style.setProperty("--share", String(Number(field.value) / MOST));
      field.setAttribute("aria-valuetext", share ? percent(share) : "never");
    }
    submit.toggleAttribute("disabled", !whole);
  };
  /** @param {number} share */
  const all = (share) => {
    for (const { field } of rows) field.value = String(share);
    show();
  };
  const form = el(
    "form",
    {
      class: "panel set-mix",
      "aria-labelledby": "mix-title",
      onsubmit: (event) => {
        event.preventDefault();
        if (Object.values(shares()).some((share) => share > 0)) score(shares());
      },
    },
    el("h2", { id: "mix-title" }, "Or set the whole mix", note("mix", "a mix")),
    el("p", { class: "remark" }, "How often would you bid each card? Only how the bars compare counts."),
    el(
      "div",
      { class: "sliders" },
      rows.map(({ card, field, output }) => el("label", {}, chip(card, "mine"), field, output)),
    ),
    el(
      "p",
      { class: "row" },
      submit,
      el("button", { type: "button", class: "small", "data-key": "even", onclick: () => all(MOST / 2) }, "All alike"),
      el("button", { type: "button", class: "small", "data-key": "none", onclick: () => all(0) }, "None"),
    ),
  );
  show();
  return form;
}

/**
 * What an answer was worth, and the perfect mix beside it.
 * @param {Drill & { score: Score }} drill
 */
export function resultPanel({ puzzle, answer, score, card, mix }) {
  const digits = digitsOf(answer.objective);
  const unit = UNITS[answer.objective];
  const regret = card ? answer.regret[cardName(card)] : 0;
  const totals = [
    ...(card ? [["Your bid costs, against perfect play", isFree(regret) ? "0" : cost(regret, digits)]] : []),
    [card ? "Who always bids it loses at most" : "Your mix loses at most", cost(score.exploitability, digits)],
    ["The position is worth to you", signed(answer.value, digits)],
  ];
  return el(
    "section",
    { class: "panel result", "aria-labelledby": "result-title" },
    el("h2", { id: "result-title" }, "You, and perfect play"),
    el(
      "div",
      { class: "totals" },
      totals.map(([words, number]) =>
        el("div", { class: "total" }, el("span", {}, words), el("strong", {}, number, el("small", {}, ` ${unit}`))),
      ),
    ),
    pairedBars(answer, mix),
    answer.unique ? null : el("p", { class: "remark" }, "Several mixes are perfect here. This is one of them."),
    el(
      "p",
      { class: "row" },
      el("a", { href: exploreAddress(answer.position, puzzle.rules), "data-view": "explore" }, "Explore this position"),
      el(
        "a",
        { href: viewAddress("train", { puzzle: puzzle.key.replaceAll(" ", "_") }), "data-view": "train" },
        "Link to this puzzle",
      ),
    ),
  );
}

/** @type {(answer: Answer, mix: ByCard) => HTMLElement} */
function pairedBars(answer, mix) {
  const perfect = beside(answer, mix);
  const widest = Math.max(0.4, ...Object.values(perfect), ...Object.values(mix));
  const digits = digitsOf(answer.objective);
  /** @type {(kind: string, share: number) => HTMLElement} */
  const bar = (kind, share) => el("span", { class: `bar ${kind}`, vars: { "--share": share / widest } });
  const rows = byCard(perfect).map(([card, share]) => {
    const [name, bid] = [cardName(card), mix[cardName(card)] ?? 0];
    const lost = answer.regret[name];
    return el(
      "tr",
      {},
      el("th", { scope: "row" }, chip(card, "mine"), hidden(cardSpoken(card))),
      el("td", { class: "track" }, bar("mine", bid), bar("perfect", share)),
      el("td", { class: "number" }, percentShort(bid)),
      el("td", { class: "number" }, percent(share)),
      el("td", { class: isFree(lost) ? "number faint" : "number" }, cost(lost, digits)),
    );
  });
  const head = ["Card", hidden("As bars"), "You", "Perfect", "Cost"];
  return el(
    "table",
    { class: "bars paired" },
    el("caption", { class: "hidden" }, "Your mix, a perfect one, and what each card costs"),
    tableHead(head),
    el("tbody", {}, rows),
  );
}
