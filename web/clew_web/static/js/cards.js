/* The explanation: cards of three kinds, each kind drawn once, whatever method made them. They come
   while the evidence is looked for, and again, whole, with the evidence. */
import { quotesCard } from "./quotes_card.js";
import { roundsCard } from "./rounds_card.js";

const DRAWN = { quotes: quotesCard, rounds: roundsCard };
const ROUNDS = { kind: "rounds", title: "Rounds", summary: "", rounds: [] };

const place = document.getElementById("cards");

export class Cards {
  /* ``graph``: where subgraphs are drawn and what a card is about is brought out; ``openPassage``: of
     {chunk_id, quote}. */
  constructor(graph, openPassage) {
    this.graph = graph;
    this.openPassage = openPassage;
  }

  clear() {
    place.replaceChildren();
    place.hidden = true;
    this.subgraphs = [];
    this.rounds = ROUNDS;
    this.roundsElement = null;
    this.passages = null;
    this.kept = null;
  }

  /* One that came before the evidence. */
  add(card) {
    if (card.kind === "subgraph") {
      this.subgraphs.push(card);
      this.graph.showEarly(this.subgraphs);
    } else {
      this.append(DRAWN[card.kind](card, this));
    }
  }

  /* A round that came before the evidence; a card holds all of them. */
  addRound(round) {
    this.rounds = { ...this.rounds, rounds: [...this.rounds.rounds, round] };
    const element = roundsCard(this.rounds, this);
    this.roundsElement?.remove();
    this.roundsElement = this.append(element);
  }

  append(element) {
    place.hidden = false;
    return place.appendChild(element);
  }

  /* The evidence's own cards, instead of those that came before it. */
  show(evidence) {
    this.clear();
    this.passages = new Map(evidence.chunks.map((chunk, index) => [chunk.id, { rank: index + 1, title: chunk.title }]));
    evidence.explanation.filter((card) => card.kind !== "subgraph").forEach((card) => this.add(card));
  }

  /* While the pointer or the keyboard is in an element, what it is about is brought out. */
  lightWhileIn(element, about) {
    for (const name of ["pointerenter", "focusin"]) {
      element.addEventListener(name, () => this.graph.light(about.ids, about.names));
    }
    for (const name of ["pointerleave", "focusout"]) {
      element.addEventListener(name, () => this.lightKept());
    }
  }

  lightKept() {
    this.graph.light(this.kept?.about.ids ?? null, this.kept?.about.names);
  }

  /* Keeps one thing brought out in the drawing until its button is pressed again, or another's. */
  keep(button, about) {
    const again = this.kept?.button === button;
    this.kept?.button.setAttribute("aria-pressed", "false");
    this.kept = again ? null : { button, about };
    this.lightKept();
    if (!again) {
      button.setAttribute("aria-pressed", "true");
      this.graph.bringIntoView();
    }
  }
}
