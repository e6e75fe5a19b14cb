// Make elements, and replace parts of the page.

const SVG = "http://www.w3.org/2000/svg";

/** An element. `onclick` and the like take functions, `vars` custom properties; null and false leave things out. */
export function el(tag, attributes = {}, ...children) {
  return made(document.createElement(tag), attributes, children);
}

/** An element of a drawing. */
export function svg(tag, attributes = {}, ...children) {
  return made(document.createElementNS(SVG, tag), attributes, children);
}

function made(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "vars") for (const [key, text] of Object.entries(value)) node.style.setProperty(key, text);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...present(children));
  return node;
}

const present = (children) =>
  children.flat(3).filter((child) => child !== null && child !== undefined && child !== false && child !== "");

/** Put these children into a node. The focus stays with the element of the same `data-key`. */
export function fill(node, ...children) {
  const active = document.activeElement;
  const key = node.contains(active) ? active.dataset?.key : undefined;
  node.replaceChildren(...present(children));
  if (key !== undefined) focusKey(node, key);
  return node;
}

/** Focus the element of this `data-key`; whether there is one. */
export function focusKey(node, key) {
  const found = node.querySelector(`[data-key="${CSS.escape(key)}"]`);
  found?.focus({ preventScroll: true });
  return Boolean(found);
}

/** Text for screen readers alone. */
export const hidden = (text) => el("span", { class: "hidden" }, text);

/** Whether a key press belongs to a field or a button, not to the room. */
export function isTyping(event) {
  const field = event.target.closest?.("input, textarea, select");
  return Boolean(field) || event.ctrlKey || event.metaKey || event.altKey;
}
