/* The clues: what the question was translated into, with the sentences and passages they led to. */
import { likelihood, origin, relationParts, ROLES, sentenceParts } from "./clue_words.js";
import { make } from "./dom.js";

const FIRST = 8;

const card = document.getElementById("clues-card");
const list = document.getElementById("clues");
const count = document.getElementById("clues-count");

/* Likeliest first, but what a clue led to comes right after it: {clue, index, depth}. */
function inOrder(clues, after = null, depth = 0) {
  return clues.flatMap((clue, index) => (clue.after === after ? [{ clue, index, depth }, ...inOrder(clues, index, depth + 1)] : []));
}

export class ClueList {
  /* ``graph``: where a clue is brought out; ``openPassage``: of {chunk_id, quote}. */
  constructor(graph, openPassage) {
    this.graph = graph;
    this.openPassage = openPassage;
  }

  clear() {
    card.hidden = true;
    list.replaceChildren();
    this.kept = null;
  }

  show(evidence) {
    this.clear();
    card.hidden = evidence.clues.length === 0;
    this.passages = new Map(evidence.chunks.map((chunk, index) => [chunk.id, { rank: index + 1, title: chunk.title }]));
    this.clues = evidence.clues;
    this.best = Math.max(...evidence.clues.map((clue) => clue.score));
    count.textContent = evidence.clues.length === 1 ? "1 clue" : `${evidence.clues.length} clues`;
    const items = inOrder(evidence.clues).map((one) => this.item(one));
    list.append(...items);
    if (items.length > FIRST) {
      this.fold(items.slice(FIRST), items.length);
    }
  }

  /* Hides the last ones behind a button. */
  fold(items, total) {
    items.forEach((item) => item.setAttribute("hidden", ""));
    const all = make("button", { class: "button button-small", type: "button" }, `Show all ${total} clues`);
    const row = make("li", { class: "clues-more" }, all);
    all.addEventListener("click", () => {
      items.forEach((item) => item.removeAttribute("hidden"));
      row.remove();
      items[0].querySelector("summary").focus();
    });
    list.append(row);
  }

  /* The ids of what a clue is about, and of what led to it. */
  about(clue) {
    const before = clue.after === null ? [] : this.about(this.clues[clue.after]);
    return [...before, clue.entity_id, ...(clue.tail_id ? [clue.tail_id] : []), ...clue.chunk_ids];
  }

  item({ clue, index, depth }) {
    const about = this.about(clue);
    const keep = make("button", { class: "button button-small", type: "button", "aria-pressed": "false" }, "Show in the drawing");
    keep.addEventListener("click", () => this.keep(keep, about));
    const details = make(
      "details",
      { class: "passage clue", "data-clue": index },
      make("summary", {}, make("span", { class: "rank" }, `${index + 1}.`), this.heading(clue)),
      make("div", { class: "clue-body" }, ...this.body(clue), make("div", {}, keep)),
    );
    details.open = index === 0;
    const item = make("li", {}, details);
    item.style.marginLeft = `${1.5 * Math.min(depth, 3)}rem`;
    for (const name of ["pointerenter", "focusin"]) {
      item.addEventListener(name, () => this.graph.light(about));
    }
    for (const name of ["pointerleave", "focusout"]) {
      item.addEventListener(name, () => this.graph.light(this.kept?.about ?? null));
    }
    return item;
  }

  heading(clue) {
    const role = ROLES[clue.direction];
    const bar = make("i");
    // of logarithms: probabilities of clues differ by orders of magnitude
    bar.style.width = `${Math.max(2, (100 * (1 - this.best)) / (1 - clue.score))}%`;
    const arrow = () => make("span", { class: "clue-arrow", "aria-hidden": "true" }, ` ${role.arrow} `);
    const words = [make("strong", { class: "clue-name" }, clue.entity), arrow(), make("span", { class: "clue-relation" }, ...relationParts(clue.relation))];
    if (clue.tail !== null) {
      words.push(arrow(), make("strong", { class: "clue-name" }, clue.tail));
    }
    return make(
      "span",
      { class: "heading" },
      make("span", { class: "clue-words" }, ...words),
      make(
        "span",
        { class: "row clue-facts" },
        make(
          "span",
          { class: "score", title: "How likely the language model found this clue: the logarithm of its probability, nearer to 0 is likelier" },
          make("span", { class: "score-bar", "aria-hidden": "true" }, bar),
          likelihood(clue.score),
        ),
        make("span", { class: clue.named ? "badge badge-entity" : "badge" }, origin(clue)),
        make("span", { class: "small soft" }, role.word),
      ),
    );
  }

  body(clue) {
    const shown = new Set(clue.sentences.map((sentence) => sentence.chunk_id));
    const more = clue.chunk_ids.filter((id) => !shown.has(id) && this.passages.has(id));
    const lower = clue.chunk_ids.filter((id) => !this.passages.has(id)).length;
    const parts = [
      make("p", { class: "small soft" }, ROLES[clue.direction].long),
      make("ul", { class: "plain clue-sentences" }, ...clue.sentences.map((sentence) => this.sentence(clue, sentence))),
    ];
    if (more.length > 0) {
      parts.push(make("p", { class: "small row" }, "Also in", ...more.map((id) => this.passageButton(id, ""))));
    }
    if (lower > 0) {
      parts.push(make("p", { class: "small soft" }, `It also led to ${lower === 1 ? "1 passage" : `${lower} passages`} that ranked below the evidence.`));
    }
    return parts;
  }

  sentence(clue, sentence) {
    const passage = this.passages.has(sentence.chunk_id)
      ? this.passageButton(sentence.chunk_id, sentence.text)
      : make("span", { class: "small soft" }, "in a passage below the evidence");
    return make("li", {}, make("q", {}, ...sentenceParts(clue, sentence)), " ", passage);
  }

  passageButton(chunkId, quote) {
    const { rank, title } = this.passages.get(chunkId);
    return make("button", { class: "clue-passage", type: "button", onclick: () => this.openPassage({ chunk_id: chunkId, quote }) }, `${rank}. ${title}`);
  }

  /* Keeps one clue brought out in the drawing until its button is pressed again, or another's. */
  keep(button, about) {
    const again = this.kept?.button === button;
    this.kept?.button.setAttribute("aria-pressed", "false");
    this.kept = again ? null : { button, about };
    this.graph.light(this.kept?.about ?? null);
    if (!again) {
      button.setAttribute("aria-pressed", "true");
      this.graph.bringIntoView();
    }
  }
}
