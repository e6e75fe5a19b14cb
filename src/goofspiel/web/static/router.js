// Which room is shown, and its state, as the address says.

import { query } from "./api.js";

/** Show the room of the address. `rooms` by name: {title, open(root, params, router)}, which gives {update, close}. */
export function startRouter(root, rooms, { fallback }) {
  let current = null;

  const here = () => {
    const name = location.pathname.replace(/^\/|\/$/g, "") || fallback;
    return { name: name in rooms ? name : fallback, params: Object.fromEntries(new URLSearchParams(location.search)) };
  };

  const show = ({ focus = false } = {}) => {
    const { name, params } = here();
    if (current?.name === name) current.room.update(params);
    else {
      current?.room.close();
      root.replaceChildren();
      root.dataset.room = name;
      current = { name, room: rooms[name].open(root, params, router) };
      if (focus) root.focus({ preventScroll: true });
    }
    document.title = `${rooms[name].title} · Goofspiel`;
    for (const link of document.querySelectorAll(".rooms [data-room]")) {
      if (link.dataset.room === name) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  };

  const router = {
    /** Go to a state. `keep` says that nothing needs to be shown: the room has done so itself. */
    go(name, params, { replace = false, keep = false, kind = null } = {}) {
      const url = `/${name}${query(params)}`;
      const depth = (history.state?.depth ?? 0) + (replace ? 0 : 1);
      history[replace ? "replaceState" : "pushState"]({ depth, kind }, "", url);
      if (!keep) show();
    },
    /** How the current state came about, and how many states of this page lie before it. */
    get state() {
      return { depth: 0, kind: null, ...history.state };
    },
  };

  window.addEventListener("popstate", () => show());
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[data-room]");
    if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    if (link.href === location.href) return;
    history.pushState({ depth: router.state.depth + 1 }, "", link.href);
    show({ focus: true });
    window.scrollTo(0, 0);
  });
  show();
}
