// Ask the server.

const KEPT = 200; // answers that are remembered
const MOST_TRIES = 3; // of a server that is busy, solving a table perhaps
const RETRY_SECONDS = 2;

/** An error as the server explains it. */
export class Problem extends Error {
  constructor(status, title, detail) {
    super(detail);
    this.status = status;
    this.title = title;
  }
}

const answers = new Map();

/** The address of a question. */
export const address = (what, params) => `/api/v1/${what}${query(params)}`;

/** Parameters as a URL has them; the slashes and brackets of a position stay readable. */
export function query(params) {
  const words = Object.entries(params)
    .filter(([, value]) => value !== undefined && value !== null && value !== "")
    .map(([name, value]) => `${name}=${readable(encodeURIComponent(value))}`);
  return words.length ? `?${words.join("&")}` : "";
}

const readable = (text) => text.replaceAll("%2F", "/").replaceAll("%5B", "[").replaceAll("%5D", "]");

/** The answer to a question; what was answered once is not asked again. */
export function ask(what, params = {}) {
  const url = address(what, params);
  if (!answers.has(url)) {
    if (answers.size >= KEPT) answers.delete(answers.keys().next().value);
    const answer = fetched(url);
    answers.set(url, answer);
    answer.catch(() => answers.delete(url));
  }
  return answers.get(url);
}

const seconds = (time) => new Promise((done) => setTimeout(done, 1000 * time));

async function fetched(url) {
  let response;
  for (let tries = 1; ; tries += 1) {
    try {
      response = await fetch(url, { headers: { Accept: "application/json" } });
    } catch {
      throw new Problem(0, "No answer", "The server does not answer. Is `goofspiel serve` still running?");
    }
    if (response.status !== 503 || tries === MOST_TRIES) break;
    await seconds(Number(response.headers.get("Retry-After")) || RETRY_SECONDS);
  }
  if (response.ok) return response.json();
  const problem = await response.json().catch(() => ({}));
  const detail = typeof problem.detail === "string" ? problem.detail : `${response.status} ${response.statusText}`;
  throw new Problem(response.status, problem.title ?? "Not answered", detail);
}
