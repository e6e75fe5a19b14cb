// Cards glide from where they were to where they are, unless the reader wants no motion.

const GLIDE = { duration: 420, easing: "cubic-bezier(.2, .7, .2, 1)" };

const isCalm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/**
 * Make a change to what is in a node; elements that keep their `data-flip` glide to their new place.
 * @template Result
 * @param {Element} node
 * @param {() => Result} change
 */
export function gliding(node, change) {
  if (isCalm()) return change();
  /** @type {() => NodeListOf<HTMLElement>} */
  const cards = () => node.querySelectorAll("[data-flip]");
  /** @type {Map<string | undefined, DOMRect>} */
  const before = new Map();
  for (const card of cards()) before.set(card.dataset.flip, card.getBoundingClientRect());
  const result = change();
  for (const card of cards()) {
    const [from, to] = [before.get(card.dataset.flip), card.getBoundingClientRect()];
    if (!from || !to.width || (from.x === to.x && from.y === to.y && from.width === to.width)) continue;
    const move = `translate(${from.x - to.x}px, ${from.y - to.y}px) scale(${from.width / to.width})`;
    card.animate(
      [
        { transform: move, transformOrigin: "0 0" },
        { transform: "none", transformOrigin: "0 0" },
      ],
      GLIDE,
    );
  }
  return result;
}

const FAR = 6; // pixels: less is a click

/** @type {(box: DOMRect, event: PointerEvent) => boolean} */
const contains = (box, { clientX: x, clientY: y }) => x > box.left && x < box.right && y > box.top && y < box.bottom;

/**
 * Let a card be picked: by a click, by a key, or dragged, with mouse or pen, to `target()`.
 * @param {HTMLElement} card
 * @param {() => Element | null} target
 * @param {() => void} pick
 */
export function pickable(card, target, pick) {
  /** @type {{ x: number, y: number } | null} */
  let from = null; // where it was taken up
  let dragged = false;
  /** @param {PointerEvent} event */
  const isOver = (event) => {
    const box = target()?.getBoundingClientRect();
    return box !== undefined && contains(box, event);
  };
  /** @param {PointerEvent} event */
  const move = (event) => {
    if (!from) return;
    const [x, y] = [event.clientX - from.x, event.clientY - from.y];
    if (!dragged && Math.hypot(x, y) < FAR) return;
    dragged = true;
    card.classList.add("dragged");
    card.style.transform = `translate(${x}px, ${y}px) rotate(${Math.max(-8, Math.min(8, x / 20))}deg)`;
    target()?.classList.toggle("ready", isOver(event));
  };
  /** @param {PointerEvent} event */
  const end = (event) => {
    if (!from) return;
    from = null;
    card.removeEventListener("pointermove", move);
    target()?.classList.remove("ready");
    if (dragged && event.type === "pointerup" && isOver(event)) pick();
    card.classList.remove("dragged");
    card.style.transform = "";
  };
  card.addEventListener("pointerdown", (event) => {
    dragged = false;
    if (event.button || event.pointerType === "touch") return; // a finger scrolls the page, or taps
    from = { x: event.clientX, y: event.clientY };
    card.setPointerCapture(event.pointerId);
    card.addEventListener("pointermove", move);
  });
  card.addEventListener("pointerup", end);
  card.addEventListener("pointercancel", end);
  card.addEventListener("click", () => {
    if (!dragged) pick();
    dragged = false;
  });
}
