/* The evidence: passages with their scores, opened by citations with the quote highlighted. */
import { make, marked } from "./dom.js";

const list = document.getElementById("evidence-list");
const count = document.getElementById("evidence-count");
const notices = document.getElementById("evidence-notices");

export class EvidenceList {
  constructor(corpus) {
    this.corpus = corpus;
    this.passages = new Map();
  }

  clear() {
    this.passages.clear();
    list.replaceChildren();
    notices.replaceChildren();
    count.textContent = "";
  }

  show(evidence) {
    this.clear();
    notices.replaceChildren(
      ...evidence.notices.map((notice) => make("div", { class: "notice" }, make("p", {}, notice))),
    );
    count.textContent = evidence.chunks.length === 1 ? "1 passage" : `${evidence.chunks.length} passages`;
    const best = Math.max(...evidence.chunks.map((chunk) => chunk.score), 0);
    evidence.chunks.forEach((chunk, index) => list.append(this.passage(chunk, index, best, evidence.corpus)));
    if (evidence.chunks.length === 0) {
      list.append(make("li", { class: "soft" }, "Nothing was found in this corpus."));
    }
  }

  passage(chunk, index, best, corpus) {
    const bar = make("i");
    bar.style.width = `${best > 0 ? Math.max(2, (100 * chunk.score) / best) : 0}%`;
    const text = make("div", { class: "text" }, chunk.text);
    const cited = make("span", { class: "row" });
    const address = `/documents/${encodeURIComponent(chunk.document_id)}?corpus=${encodeURIComponent(corpus)}`;
    const details = make(
      "details",
      { class: "passage", "data-chunk": chunk.id },
      make(
        "summary",
        {},
        make("span", { class: "rank" }, `${index + 1}.`),
        make(
          "span",
          { class: "heading" },
          make("strong", {}, chunk.title),
          make(
            "span",
            { class: "score", title: "The strategy's score, comparable within this list only" },
            make("span", { class: "score-bar", "aria-hidden": "true" }, bar),
            `score ${chunk.score.toPrecision(3)}`,
          ),
          cited,
        ),
      ),
      text,
      make("a", { class: "small open", href: address }, "Open the document"),
    );
    this.passages.set(chunk.id, { details, text, cited, chunk });
    return make("li", {}, details);
  }

  /* Marks which passages the answer cites. */
  cite(citations) {
    const numbers = new Map(citations.map((citation) => [citation.number, citation]));
    for (const citation of numbers.values()) {
      const passage = this.passages.get(citation.chunk_id);
      passage?.cited.append(make("span", { class: "badge badge-warn" }, `cited as ${citation.number}`));
    }
    const first = citations[0] && this.passages.get(citations[0].chunk_id);
    if (first) {
      first.details.open = true;
      first.text.replaceChildren(...marked(first.chunk.text, citations[0].quote));
    }
  }

  open(citation) {
    const passage = this.passages.get(citation.chunk_id);
    if (!passage) {
      return;
    }
    passage.text.replaceChildren(...marked(passage.chunk.text, citation.quote));
    passage.details.open = true;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    passage.details.scrollIntoView({ behavior: still ? "auto" : "smooth", block: "center" });
    passage.details.querySelector("summary").focus({ preventScroll: true });
  }
}
