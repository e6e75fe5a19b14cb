// A bot in JavaScript: bids the prize, or one of the two cards nearest to it in its hand, each as likely.
//
// goofspiel match "cmd:node near.mjs" optimal
// goofspiel match "cmd:node near.mjs" optimal --cards 5 --order descending --bids hidden
import { createInterface } from "node:readline";

const NAMES = "A23456789TJQK";
const CARD = /\[\d+\]|[A2-9TJQK]/g;
const read = (name) => (name.startsWith("[") ? Number(name.slice(1, -1)) : NAMES.indexOf(name) + 1);

/** My hand and the prize that is up, from what the bot is told: a position, or with hidden bids what it has seen. */
function told(position, { cards, hidden }) {
  const words = position.split(" ");
  if (!hidden) return [words[0].split("/")[0].match(CARD) ?? [], words[1]];
  const upcard = words.pop();
  const played = words.map((round) => round.match(CARD)[1]); // prize, my bid, and + - or = for who won
  const names = Array.from({ length: cards }, (_, i) => NAMES[i] ?? `[${i + 1}]`);
  return [names.filter((name) => !played.includes(name)), upcard];
}

/** The mix for a position, as a line. */
function answer(position, rules) {
  const [hand, upcard] = told(position, rules);
  const away = (name) => Math.abs(read(name) - read(upcard));
  const near = [...hand].sort((a, b) => away(a) - away(b)).slice(0, 3);
  return `mix ${near.map((name) => `${name} ${1 / near.length}`).join(" ")}`;
}

let position = "";
let rules = { cards: 13, hidden: false };
for await (const line of createInterface({ input: process.stdin })) {
  const [word, ...rest] = line.trim().split(" ");
  if (word === "goofspiel") console.log("id name near\noption lead no\nready");
  else if (word === "rules") {
    rules = { cards: Number(rest[0]), hidden: rest.includes("hidden") };
    console.log("ready");
  } else if (word === "position") position = rest.join(" ");
  else if (word === "go") console.log(answer(position, rules));
  else if (word === "quit") break;
}
