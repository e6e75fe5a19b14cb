// The panel in which the rules of a game are chosen, in words for people who play cards.

import { el, fill, select } from "./dom.js";
import { count } from "./format.js";
import { cardLabel, cardSpoken, cardsUpTo, isSame, MAX_CARDS } from "./engine/cards.js";
import { checked, isUsual, orderName, orderOf, readPrizes, RulesError, usual, writeRules } from "./engine/rules.js";

/** @import { Field, Rules } from "./engine/rules.js" */

/**
 * What stands in the fields.
 * @typedef {object} Draft
 * @property {number} cards
 * @property {string} objective
 * @property {string} ties
 * @property {string} prizes empty for 1 … cards
 * @property {string} order
 * @property {string} list the order, when it is one's own
 * @property {number} rounds 0 for all
 */

/** @type {[string, string][]} */
const ORDERS = [
  ["shuffled", "shuffled"],
  ["ascending", "lowest first"],
  ["descending", "highest first"],
  ["list", "in an order of your own"],
];

/** @param {number[]} numbers */
const listed = (numbers) => numbers.join(", ");

/**
 * What is special about a game, in a few words each.
 * @param {Rules} rules
 */
export function specials(rules) {
  const order = orderName(rules);
  return [
    rules.carry ? "ties carried over" : "",
    isSame(rules.prizes, usual(rules.cards).prizes) ? "" : `prizes ${listed(rules.prizes)}`,
    order === "shuffled" ? "" : order ? `${order === "ascending" ? "lowest" : "highest"} prize first` : "known order",
    rules.rounds === rules.cards ? "" : count(rules.rounds, "round"),
  ].filter(Boolean);
}

/** @type {(rules: Rules) => Draft} */
const draftOf = (rules) => ({
  cards: rules.cards,
  objective: rules.objective,
  ties: rules.carry ? "carry" : "discard",
  prizes: isSame(rules.prizes, usual(rules.cards).prizes) ? "" : listed(rules.prizes),
  order: orderName(rules) ?? "list",
  list: rules.order ? listed(rules.order) : "",
  rounds: rules.rounds === rules.cards ? 0 : rules.rounds,
});

/** @type {(draft: Draft) => Rules} */
function rulesOf(draft) {
  const base = usual(draft.cards, draft.objective === "win" ? "win" : "points");
  const prizes = draft.prizes.trim() ? readPrizes(draft.prizes).sort((a, b) => a - b) : base.prizes;
  const rules = { ...base, carry: draft.ties === "carry", prizes, rounds: draft.rounds || draft.cards };
  checked(rules);
  if (draft.order === "shuffled") return rules;
  if (draft.order === "list" && !draft.list.trim())
    throw new RulesError(`write all ${prizes.length} prizes in the order in which they come`, "order");
  return checked({ ...rules, order: orderOf(draft.order === "list" ? draft.list : draft.order, prizes) });
}

/**
 * The panel: `show` the rules of the game; `change` is called with others, once they are right.
 * @param {{ change: (rules: Rules) => void, objective?: boolean, fewest?: number, isOpen?: boolean }} options
 */
export function rulesPanel({ change, objective = true, fewest = 1, isOpen = false }) {
  const summary = el("summary", {});
  const body = el("div", { class: "choices" });
  const node = el("details", { class: "game-rules panel" }, summary, body);
  if (isOpen) node.open = true;
  /** @type {Draft} */
  let draft;
  let shown = ""; // the rules of the game
  /** @type {RulesError | null} */
  let problem = null;

  /** @param {Rules} rules */
  function show(rules) {
    if (writeRules(rules) === shown) return;
    shown = writeRules(rules);
    [draft, problem] = [draftOf(rules), null];
    const goal = rules.objective === "win" ? "just to win" : "most points";
    const words = [count(rules.cards, "card"), ...(objective ? [goal] : []), ...specials(rules)];
    fill(summary, el("b", {}, "Rules"), " ", el("span", {}, words.join(" · ")));
    render();
  }

  /** @param {Partial<Draft>} changes */
  function edit(changes) {
    draft = { ...draft, ...changes };
    if (draft.rounds >= draft.cards) draft.rounds = 0;
    try {
      const rules = rulesOf(draft);
      problem = null;
      if (writeRules(rules) !== shown) return change(rules);
    } catch (error) {
      if (!(error instanceof RulesError)) throw error;
      problem = error;
    }
    render();
  }

  const render = () =>
    fill(
      body,
      list("cards", "Cards in each hand", draft.cards, sizes(fewest), (cards) => edit({ cards: Number(cards) })),
      objective
        ? list("objective", "You play for", draft.objective, GOALS, (value) => edit({ objective: value }))
        : null,
      list("ties", "When both bid the same", draft.ties, TIES, (ties) => edit({ ties })),
      list("order", "The prizes come", draft.order, ORDERS, (order) => edit({ order })),
      draft.order === "list"
        ? text("list", "Their order", draft.list, `such as ${example(draft)}`, "order", (list) => edit({ list }))
        : null,
      text("prizes", "What the prizes are worth", draft.prizes, `1 to ${draft.cards}`, "prizes", (prizes) =>
        edit({ prizes }),
      ),
      list("rounds", "Rounds", draft.rounds, lengths(draft.cards), (rounds) => edit({ rounds: Number(rounds) })),
      problem || !isUsual(rulesOf(draft))
        ? el(
            "button",
            {
              type: "button",
              class: "small",
              "data-key": "usual rules",
              onclick: () => change(usual(draft.cards, draft.objective === "win" ? "win" : "points")),
            },
            "The usual rules",
          )
        : null,
    );

  /** @type {(field: Field, id: string) => HTMLElement | null} */
  const wrong = (field, id) =>
    problem && (problem.field ?? "cards") === field
      ? el("span", { class: "wrong", id, role: "alert" }, `${sentence(problem.message)} Until then the old rules hold.`)
      : null;

  /**
   * @param {string} name
   * @param {string} label
   * @param {string | number} value
   * @param {(string | number)[][]} options
   * @param {(value: string) => void} choose
   */
  function list(name, label, value, options, choose) {
    const field = name === "cards" || name === "rounds" ? name : null;
    const said = field && wrong(field, `wrong-${name}`);
    return select(label, { name, "data-key": `rules ${name}` }, value, options, choose, said);
  }

  /**
   * @param {string} name
   * @param {string} label
   * @param {string} value
   * @param {string} hint
   * @param {Field} field
   * @param {(value: string) => void} choose
   */
  function text(name, label, value, hint, field, choose) {
    const said = wrong(field, `wrong-${name}`);
    return el(
      "label",
      {},
      el("span", {}, label),
      el("input", {
        name,
        type: "text",
        value,
        placeholder: hint,
        autocomplete: "off",
        autocapitalize: "off",
        spellcheck: "false",
        "data-key": `rules ${name}`,
        "aria-invalid": said ? "true" : null,
        "aria-describedby": said ? `wrong-${name}` : null,
        onchange: (event) => choose(event.currentTarget.value),
      }),
      said,
    );
  }

  return { node, show };
}

const GOALS = [
  ["points", "the most points"],
  ["win", "winning, by a little or a lot"],
];
const TIES = [
  ["discard", "nobody gets the prize"],
  ["carry", "the next winner gets it, too"],
];

/** @param {number} fewest */
const sizes = (fewest) =>
  cardsUpTo(MAX_CARDS)
    .filter((cards) => cards >= fewest)
    .map((cards) => [cards, cards === 1 ? "1: the Ace" : `${cards}: Ace to ${cardSpoken(cards)}`]);

/** @param {number} cards */
const lengths = (cards) => [
  [0, `all ${cards}`],
  ...cardsUpTo(cards - 1)
    .reverse()
    .map((rounds) => [rounds, `only ${rounds}`]),
];

/** @param {Draft} draft */
function example({ cards, prizes }) {
  try {
    const all = prizes.trim() ? readPrizes(prizes) : usual(cards).prizes;
    const [odd, even] = [1, 0].map((rest) => all.filter((_, index) => index % 2 === rest));
    return [...odd, ...even].map(cardLabel).join(" ");
  } catch {
    return "K 2 9";
  }
}

/** @param {string} words */
const sentence = (words) => `${words[0].toUpperCase()}${words.slice(1)}.`;
