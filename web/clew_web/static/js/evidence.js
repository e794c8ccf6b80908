/* The evidence: passages and triples with their scores, opened by citations with the quote highlighted. */
import { make, marked } from "./dom.js";
import { placeWords } from "./places.js";

const MOST_QUOTED = 1000;

const counted = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;

/* A triple as what the list shows: its own text, at its line or under its passage. */
function asPassage(triple) {
  const anchor = triple.chunk_id || (triple.line === null ? "" : `line-${triple.line}`);
  return { ...triple, text: `${triple.head} | ${triple.relation} | ${triple.tail}`, pages: [], headings: [], anchor };
}

/* How far a score is from nothing to the best of its list; from the least, where some are below nothing. */
function shareOf(scores) {
  const [least, best] = [Math.min(...scores, 0), Math.max(...scores)];
  return (score) => (best > least ? (score - least) / (best - least) : 0);
}

/* Nothing was found: why, stands in the answer. */
export function isEmpty(evidence) {
  return evidence.chunks.length + (evidence.triples ?? []).length === 0;
}

export class EvidenceList {
  constructor({ list, count, notices, suggestions }) {
    Object.assign(this, { list, count, notices, suggestions });
    this.passages = new Map();
  }

  clear() {
    this.passages.clear();
    this.list.replaceChildren();
    this.notices.replaceChildren();
    this.suggestions.replaceChildren();
    this.count.textContent = "";
  }

  show(evidence) {
    this.clear();
    this.suggestions.replaceChildren(...evidence.suggestions.map((one) => this.suggestion(one)));
    const notices = isEmpty(evidence) ? [] : evidence.notices;
    this.notices.replaceChildren(...notices.map((notice) => make("div", { class: "notice" }, make("p", {}, notice))));
    const triples = (evidence.triples ?? []).map(asPassage);
    this.count.textContent = [
      evidence.chunks.length > 0 || triples.length === 0 ? counted(evidence.chunks.length, "passage") : "",
      triples.length > 0 ? counted(triples.length, "triple") : "",
    ]
      .filter(Boolean)
      .join(", ");
    for (const found of [evidence.chunks, triples]) {
      const share = shareOf(found.map((one) => one.score));
      found.forEach((one, index) => this.list.append(this.passage(one, index, share, evidence.corpus)));
    }
    if (isEmpty(evidence)) {
      this.list.append(make("li", { class: "soft" }, "Nothing was found."));
    }
  }

  /* A name that the corpus does not have, and a link that asks for the one that may be meant. */
  suggestion(one) {
    const address = new URL(location.href);
    address.searchParams.set("q", one.question);
    return make(
      "div",
      { class: "notice" },
      make(
        "p",
        {},
        `This corpus has no “${one.asked}”. Did you mean `,
        make("a", { href: `${address.pathname}${address.search}` }, one.name),
        one.followed ? "? The evidence is for that name." : "?",
      ),
    );
  }

  passage(chunk, index, share, corpus) {
    const bar = make("i");
    bar.style.width = `${Math.max(2, 100 * share(chunk.score))}%`;
    const text = make("div", { class: "text", dir: "auto" }, chunk.text);
    const cited = make("span", { class: "row" });
    const address = `/documents/${encodeURIComponent(chunk.document_id)}`;
    const asked = `corpus=${encodeURIComponent(corpus)}`;
    const original = `${address}/original?${asked}&chunk=${encodeURIComponent(chunk.id)}`;
    const place = placeWords(chunk.pages, chunk.headings, chunk.line ?? null);
    const page = chunk.pages.find((number) => number > 0);
    const atPage = page && chunk.original ? make("a", { class: "small" }) : null;
    const whole = make("a", { class: "small" }, "Open the document");
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
          make("strong", { dir: "auto" }, chunk.title),
          place ? make("span", { class: "small soft place" }, place) : null,
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
      make(
        "p",
        { class: "row open" },
        whole,
        atPage,
      ),
    );
    const passage = { details, text, cited, chunk, document: `${address}?${asked}`, whole, original, atPage };
    this.passages.set(chunk.id, passage);
    this.leadTo(passage, { page });
    return make("li", {}, details);
  }

  /* What is looked at, the passage, the line or a citation, is where its document opens, with the
     quote marked, and the original at its page. */
  leadTo(passage, { page, quote }) {
    const { anchor, id, line } = passage.chunk;
    const shown = line ? `&line=${line}` : "";
    const marking = quote ? `&quote=${encodeURIComponent(quote.slice(0, MOST_QUOTED))}` : "";
    passage.whole.href = `${passage.document}${shown}${marking}#${anchor ?? id}`;
    if (passage.atPage && page) {
      passage.atPage.href = `${passage.original}#page=${page}`;
      passage.atPage.textContent = `Open the original at page ${page}`;
    }
  }

  /* Marks which passages the answer cites. */
  cite(citations) {
    const numbers = new Map(citations.map((citation) => [citation.number, citation]));
    for (const citation of numbers.values()) {
      const passage = this.passages.get(citation.triple_id || citation.chunk_id);
      passage?.cited.append(make("span", { class: "badge badge-warn" }, `cited as ${citation.number}`));
    }
    const first = citations[0] && this.passages.get(citations[0].triple_id || citations[0].chunk_id);
    if (first) {
      first.details.open = true;
      first.text.replaceChildren(...marked(first.chunk.text, citations[0].quote));
      this.leadTo(first, citations[0]);
    }
  }

  open(citation) {
    const passage = this.passages.get(citation.triple_id || citation.chunk_id);
    if (!passage) {
      return;
    }
    passage.text.replaceChildren(...marked(passage.chunk.text, citation.quote));
    this.leadTo(passage, citation);
    passage.details.open = true;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    passage.details.scrollIntoView({ behavior: still ? "auto" : "smooth", block: "center" });
    passage.details.querySelector("summary").focus({ preventScroll: true });
  }
}
