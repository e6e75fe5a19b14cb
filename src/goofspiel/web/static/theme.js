// Light, dark, or as the system has it; remembered as long as the tab is open.

const NAMES = { auto: "Light or dark, as the system", light: "Light", dark: "Dark" };
const SIGNS = { auto: "◐", light: "○", dark: "●" };
/** @type {(keyof typeof NAMES)[]} */
const ORDER = ["auto", "light", "dark"];

/**
 * Let a button go round the themes.
 * @param {HTMLElement} button
 */
export function themeButton(button) {
  /** @param {keyof typeof NAMES} theme */
  const show = (theme) => {
    if (theme === "auto") document.documentElement.removeAttribute("data-theme");
    else document.documentElement.dataset.theme = theme;
    button.textContent = SIGNS[theme];
    button.setAttribute("aria-label", `Colours: ${NAMES[theme]}`);
    button.title = `Colours: ${NAMES[theme]}`;
    sessionStorage.setItem("theme", theme);
  };
  const kept = () => ORDER.find((theme) => theme === sessionStorage.getItem("theme")) ?? "auto";
  button.addEventListener("click", () => show(ORDER[(ORDER.indexOf(kept()) + 1) % ORDER.length]));
  show(kept());
}
