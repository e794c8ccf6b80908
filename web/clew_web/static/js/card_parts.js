/* What cards have in common: their frame, and buttons that lead to passages. */
import { make } from "./dom.js";

let frames = 0;

/* A section with the card's title, its summary, and how many things it holds. */
export function frame(card, count, ...parts) {
  frames += 1;
  const id = `card-${frames}`;
  return make(
    "section",
    { class: "card", "data-kind": card.kind, "aria-labelledby": id },
    make("div", { class: "spread" }, make("h2", { id }, card.title), make("span", { class: "small soft" }, count)),
    card.summary ? make("p", { class: "small soft card-summary" }, card.summary) : null,
    ...parts,
  );
}

/* A passage of the evidence: a button that opens it, with the quote marked. */
export function passageButton(cards, chunkId, quote) {
  const { rank, title } = cards.passages.get(chunkId);
  return make("button", { class: "passage-link", type: "button", onclick: () => cards.openPassage({ chunk_id: chunkId, quote }) }, `${rank}. `, make("span", { dir: "auto" }, title));
}
