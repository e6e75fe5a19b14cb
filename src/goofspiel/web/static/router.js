// Which view is shown, and its state, as the address says.

import { ROOT, viewAddress } from "./addresses.js";

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
 * @param {Record<string, ViewModule>} views by name
 * @param {{ fallback: string }} options
 */
export function startRouter(root, views, { fallback }) {
  /** @type {{ name: string, view: View } | null} */
  let current = null;

  const here = () => {
    const name = location.pathname.slice(ROOT.length).replace(/\/(index\.html)?$|^index\.html$/, "") || fallback;
    return { name: name in views ? name : fallback, params: Object.fromEntries(new URLSearchParams(location.search)) };
  };

  const show = ({ focus = false } = {}) => {
    const { name, params } = here();
    if (current?.name === name) current.view.update(params);
    else {
      current?.view.close();
      root.replaceChildren();
      root.dataset.view = name;
      current = { name, view: views[name].open(root, params, router) };
      if (focus) root.focus({ preventScroll: true });
    }
    document.title = `${views[name].title} · Goofspiel`;
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
      if (!keep) show();
    },
    get state() {
      return { depth: 0, kind: null, ...history.state };
    },
  };

  // What the document names beside it is found from here, too, when the address is another.
  /** @type {NodeListOf<HTMLAnchorElement | HTMLLinkElement>} */
  const named = document.querySelectorAll("a[data-view], link[rel=icon], link[rel=manifest]");
  for (const link of named) link.setAttribute("href", link.href);
  window.addEventListener("popstate", () => show());
  document.addEventListener("click", (event) => {
    /** @type {HTMLAnchorElement | null} */
    const link = event.target instanceof Element ? event.target.closest("a[data-view]") : null;
    if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    if (link.href === location.href) return;
    history.pushState({ depth: router.state.depth + 1 }, "", link.href);
    show({ focus: true });
    window.scrollTo(0, 0);
  });
  show();
}
