/* A card of rounds: what was asked, what was found, what was decided, one round after the other. */
import { frame, passageButton } from "./card_parts.js";
import { make } from "./dom.js";
import { duration } from "./trace.js";

function part(name, text) {
  return text ? [make("dt", {}, name), make("dd", { dir: "auto" }, text)] : [];
}

function found(round, cards) {
  const one = ({ id, title }) => make("li", {}, cards.passages?.has(id) ? passageButton(cards, id, "") : make("span", { dir: "auto" }, title));
  const list = make("ul", { class: "plain row small" }, ...round.found.map(one));
  return [make("dt", {}, "Found"), make("dd", {}, round.found.length > 0 ? list : "nothing new")];
}

function item(round, cards) {
  const seconds = round.seconds === null ? null : make("span", { class: "small soft number" }, duration(round.seconds));
  const element = make(
    "li",
    { class: "round" },
    make("div", { class: "spread" }, make("strong", {}, `Round ${round.number}`), seconds),
    make("dl", {}, ...part("Asked", round.asked), ...found(round, cards), ...part("Decided", round.decided)),
  );
  cards.lightWhileIn(element, { ids: round.found.map((one) => one.id), names: [] });
  return element;
}

export function roundsCard(card, cards) {
  const count = card.rounds.length === 1 ? "1 round" : `${card.rounds.length} rounds`;
  return frame(card, count, make("ol", { class: "plain rounds" }, ...card.rounds.map((round) => item(round, cards))));
}
