// Which view is shown, and its state, as the address says.

import { ROOT, viewAddress } from "./addresses.js";
import { nowhere, outdated } from "./nowhere.js";
import { isNewcomer, leave, leftAt } from "./remembered.js";

/** @import { NewParams, Params } from "./addresses.js" */

/**
 * @typedef {object} View
 * @property {(params: Params) => void} update
 * @property {() => void} close
 */

/**
 * @typedef {object} ViewModule
 * @property {string} title
 * @property {(root: HTMLElement, params: Params, router: Router) => View} open
 */

/**
 * How a state comes about: `replace` takes the place of the one before, `keep` says that nothing needs to be shown, as
 * the view has done so itself, and `kind` is what the view calls it.
 * @typedef {{ replace?: boolean, keep?: boolean, kind?: string | null }} Way
 */

/**
 * @typedef {object} Router
 * @property {(name: string, params: NewParams, way?: Way) => void} go Go to a state.
 * @property {{ depth: number, kind: string | null }} state How the current state came about, and how many states of
 *   this page lie before it.
 */

/**
 * Show the view of the address.
 * @param {HTMLElement} root
 * @param {Record<string, () => Promise<ViewModule>>} views by name; a view is loaded when it is shown first
 * @param {{ fallback: string, newcomer: string }} options what an address without a view shows, and what in its place
 *   who was never here
 */
export function startRouter(root, views, { fallback, newcomer }) {
  /** @type {{ name: string, view: View } | null} */
  let current = null;
  let shown = 0; // a later address outdates the view that is still being loaded

  const here = () => {
    const path = location.pathname.slice(ROOT.length).replace(/\/(index\.html)?$|^index\.html$/, "");
    const name = path.toLowerCase() || fallback;
    if (name in views && path && path !== name) history.replaceState(history.state, "", viewAddress(name) + location.search);
    return { name, params: Object.fromEntries(new URLSearchParams(location.search)) };
  };

  /** @type {(name: string) => Promise<ViewModule>} */
  const loaded = async (name) => (Object.hasOwn(views, name) ? views[name]().catch(() => outdated) : nowhere);

  const show = async ({ focus = false } = {}) => {
    const { name, params } = here();
    mark(name);
    const turn = (shown += 1);
    if (current?.name === name) return current.view.update(params);
    current?.view.close(); // what it shows stays until there is something else
    current = null;
    const module = await loaded(name);
    if (turn !== shown) return;
    root.replaceChildren();
    root.dataset.view = name;
    current = { name, view: module.open(root, params, router) };
    if (focus) root.focus({ preventScroll: true });
    document.title = `${module.title} · Goofspiel`;
  };

  /** @param {string} name */
  const mark = (name) => {
    /** @type {NodeListOf<HTMLElement>} */
    const links = document.querySelectorAll(".views [data-view]");
    for (const link of links) {
      if (link.dataset.view === name) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  };

  /** @type {Router} */
  const router = {
    go(name, params, { replace = false, keep = false, kind = null } = {}) {
      const url = viewAddress(name, params);
      const depth = (history.state?.depth ?? 0) + (replace ? 0 : 1);
      history[replace ? "replaceState" : "pushState"]({ depth, kind }, "", url);
      leave(name, url);
      if (!keep) void show();
    },
    get state() {
      return { depth: 0, kind: null, ...history.state };
    },
  };

  // What the document names beside it is found from here, too, when the address is another.
  /** @type {NodeListOf<HTMLAnchorElement | HTMLLinkElement>} */
  const named = document.querySelectorAll("a[data-view], link[rel=icon], link[rel=manifest]");
  for (const link of named) link.setAttribute("href", link.href);
  if (here().name === fallback && !location.search && isNewcomer())
    history.replaceState(history.state, "", viewAddress(newcomer));
  window.addEventListener("popstate", () => void show());
  document.addEventListener("click", (event) => {
    /** @type {HTMLAnchorElement | null} */
    const link = event.target instanceof Element ? event.target.closest("a[data-view]") : null;
    if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    // The links of the frame lead to where a room was left.
    const left = link.closest("header") ? leftAt(link.dataset.view ?? "") : null;
    const target = new URL(left ?? link.href, location.href).href;
    if (target === location.href) return;
    history.pushState({ depth: router.state.depth + 1 }, "", target);
    void show({ focus: true });
    window.scrollTo(0, 0);
  });
  void show();
}
