// A bot in JavaScript: bids the prize, or one of the two cards nearest to it in its hand, each as likely.
//
// goofspiel match "cmd:node near.mjs" optimal
import { createInterface } from "node:readline";

const NAMES = "A23456789TJQK";
const CARD = /\[\d+\]|[A2-9TJQK]/g;
const read = (name) => (name.startsWith("[") ? Number(name.slice(1, -1)) : NAMES.indexOf(name) + 1);

/** The mix for a position, as a line. */
function answer(position) {
  const [fields, upcard] = position.split(" ");
  const hand = fields.split("/")[0].match(CARD) ?? [];
  const away = (name) => Math.abs(read(name) - read(upcard));
  const near = [...hand].sort((a, b) => away(a) - away(b)).slice(0, 3);
  return `mix ${near.map((name) => `${name} ${1 / near.length}`).join(" ")}`;
}

let position = "";
for await (const line of createInterface({ input: process.stdin })) {
  const [word, ...rest] = line.trim().split(" ");
  if (word === "goofspiel") console.log("id name near\noption lead no\nready");
  else if (word === "rules") console.log("ready");
  else if (word === "position") position = rest.join(" ");
  else if (word === "go") console.log(answer(position));
  else if (word === "quit") break;
}
