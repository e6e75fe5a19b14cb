// What can be wrong, each kind with a title and one sentence.

/** An error that is meant for the reader. `kind` says of what kind, `title` in a few words. */
export class EngineError extends Error {
  /**
   * @param {"position" | "rules" | "player" | "puzzle" | "missing" | "damaged" | "unreachable" | "ranges" | "proof"} kind
   * @param {string} message
   * @param {string} title
   */
  constructor(kind, message, title = TITLES[kind]) {
    super(message);
    this.kind = kind;
    this.title = title;
  }
}

/** @type {Record<EngineError["kind"], string>} */
const TITLES = {
  position: "This position or record cannot be",
  rules: "There is no such game here",
  player: "There is no such player",
  puzzle: "There is no such puzzle",
  missing: "The table is not here",
  damaged: "The table is damaged",
  unreachable: "No answer",
  ranges: "This host sends no parts of files",
  proof: "No proof",
};
