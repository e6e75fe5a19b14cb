// Make elements, and replace parts of the page.

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {string | number | boolean | null | undefined} Value */
/** @typedef {Record<string, string | number>} Vars */
/** @typedef {Node | string | false | null | undefined} Child */
/** @typedef {Child | Child[] | Child[][] | Child[][][]} Children */

/**
 * The names are those that the page uses: a misspelt one is an error.
 * @typedef {(
 *   "accept" | "autocapitalize" | "autocomplete" | "class" | "disabled" | "download" | "for" | "href" | "id" | "max" |
 *   "min" | "name" | "placeholder" | "readonly" | "rel" | "role" | "rows" | "scope" | "selected" | "spellcheck" | "step" |
 *   "tabindex" | "target" | "title" |
 *   "type" | "value" | `aria-${string}` | `data-${string}`
 * )} Name
 */

/**
 * @typedef {(
 *   "class" | "cx" | "cy" | "d" | "focusable" | "font-size" | "height" | "lengthAdjust" | "r" | "role" | "rx" |
 *   "text-anchor" | "textLength" | "transform" | "viewBox" | "width" | "x" | "x1" | "x2" | "y" | "y1" | "y2" |
 *   `aria-${string}`
 * )} DrawingName
 */

/**
 * @template {EventTarget} Listening
 * @typedef {{
 *   [Type in keyof HTMLElementEventMap as `on${Type}`]?:
 *     ((event: HTMLElementEventMap[Type] & { currentTarget: Listening }) => void) | null
 * }} Handlers
 */

/**
 * @template {EventTarget} Listening
 * @typedef {Partial<Record<Name, Value>> & { vars?: Vars } & Handlers<Listening>} Attributes
 */

/** @typedef {Partial<Record<DrawingName, Value>> & { vars?: Vars }} DrawingAttributes */

/**
 * An element. `onclick` and the like take functions, `vars` custom properties; null and false leave things out.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes<HTMLElementTagNameMap[Tag]>} attributes
 * @param {Children[]} children
 */
export function el(tag, attributes = {}, ...children) {
  return made(document.createElement(tag), attributes, children);
}

/**
 * An element of a drawing.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {DrawingAttributes} attributes
 * @param {Children[]} children
 */
export function svg(tag, attributes = {}, ...children) {
  return made(document.createElementNS(SVG, tag), attributes, children);
}

/**
 * @template {HTMLElement | SVGElement} Made
 * @param {Made} node
 * @param {Record<string, Value | Vars | ((event: never) => void)>} attributes
 * @param {Children[]} children
 */
function made(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else if (typeof value === "object")
      for (const [key, text] of Object.entries(value)) node.style.setProperty(key, String(text));
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...present(children));
  return node;
}

/** @param {Children[]} children */
const present = (children) =>
  children
    .flat(3)
    .filter((child) => child !== null && child !== undefined && child !== false)
    .filter((child) => child !== "");

/**
 * Put these children into a node. The focus stays with the element of the same `data-key`.
 * @template {Element} Filled
 * @param {Filled} node
 * @param {Children[]} children
 */
export function fill(node, ...children) {
  const active = document.activeElement;
  const key = node.contains(active) ? (active?.getAttribute("data-key") ?? null) : null;
  node.replaceChildren(...present(children));
  if (key !== null) focusKey(node, key);
  return node;
}

/**
 * Focus the element of this `data-key`; whether there is one.
 * @param {Element} node
 * @param {string} key
 */
export function focusKey(node, key) {
  /** @type {HTMLElement | null} */
  const found = node.querySelector(`[data-key="${CSS.escape(key)}"]`);
  found?.focus({ preventScroll: true });
  return Boolean(found);
}

/**
 * Text for screen readers alone.
 * @param {string} text
 */
export const hidden = (text) => el("span", { class: "hidden" }, text);

/**
 * The head of a table.
 * @param {Child[]} heads
 */
export const tableHead = (heads) =>
  el("thead", {}, el("tr", {}, heads.map((words) => el("th", { scope: "col" }, words))));

/**
 * Buttons of which one is pressed; the name tells their keys from others.
 * @template {string} Kind
 * @param {string} label
 * @param {string} name
 * @param {[Kind, string][]} kinds and their words
 * @param {Kind} pressed
 * @param {(kind: Kind) => void} choose
 */
export const choice = (label, name, kinds, pressed, choose) =>
  el(
    "div",
    { class: "choice", role: "group", "aria-label": label },
    kinds.map(([kind, words]) =>
      el(
        "button",
        {
          type: "button",
          class: "small",
          "data-key": `${name} ${kind}`,
          "aria-pressed": String(kind === pressed),
          onclick: () => choose(kind),
        },
        words,
      ),
    ),
  );

/**
 * A list to choose from, with its label; `more` stands below.
 * @param {string} label
 * @param {{ name?: string, "data-key": string }} names
 * @param {string | number} chosen
 * @param {(string | number)[][]} options values and their words
 * @param {(value: string) => void} choose
 * @param {Child} more
 */
export const select = (label, names, chosen, options, choose, more = null) =>
  el(
    "label",
    {},
    el("span", {}, label),
    el(
      "select",
      { ...names, onchange: (event) => choose(event.currentTarget.value) },
      options.map(([value, words]) =>
        el("option", { value, selected: String(value) === String(chosen) }, String(words)),
      ),
    ),
    more,
  );

/**
 * Whether a key press belongs to a field or a button, not to the view.
 * @param {KeyboardEvent} event
 */
export function isTyping(event) {
  const field = event.target instanceof Element && event.target.closest("input, textarea, select");
  return Boolean(field) || event.ctrlKey || event.metaKey || event.altKey;
}

/**
 * A link that saves a text as a file.
 * @param {string} words
 * @param {string} file its name
 * @param {string} text
 */
export const saved = (words, file, text) =>
  el("a", { class: "raw", href: `data:text/plain;charset=utf-8,${encodeURIComponent(text)}`, download: file }, words);
