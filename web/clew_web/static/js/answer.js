/* The answer: its text with citations, how sure it is, what it rests on. */
import { make, problem } from "./dom.js";
import { isEmpty } from "./evidence.js";
import { placeWords } from "./places.js";
import { duration } from "./trace.js";

const STEPS = 6;

/* From how many percent on a confidence is medium, or high: in words and in the meter's colours. */
const MEDIUM = 45;
const HIGH = 85;

/* Words for a confidence as it is shown, in whole percent. */
function confidenceWord(percent) {
  if (percent >= HIGH) {
    return "High confidence";
  }
  return percent >= MEDIUM ? "Medium confidence" : "Low confidence";
}

/* Why there is no answer: where nothing was found, what was noticed; else what the text says beyond
   its first words, which stand above it. */
function reasons({ text, evidence }) {
  const beyond = text.replace(/^The evidence does not say\.?\s*/, "");
  return isEmpty(evidence) ? evidence.notices : [beyond].filter(Boolean);
}

/** Split a text at the items that stand in it next, which are taken out of the list, and stress them. */
function withItems(text, items) {
  const parts = [];
  let rest = text;
  while (items.length > 0) {
    const at = rest.toLowerCase().indexOf(items[0].toLowerCase());
    if (at < 0) {
      break;
    }
    const end = at + items.shift().length;
    parts.push(rest.slice(0, at), make("strong", {}, rest.slice(at, end)));
    rest = rest.slice(end);
  }
  return [...parts, rest];
}

export class AnswerView {
  /* ``card`` is busy until the answer is whole, ``body`` holds it, ``state`` says what happens. */
  constructor(openCitation, { card, body, state }) {
    this.openCitation = openCitation;
    this.card = card;
    this.body = body;
    this.state = state;
  }

  start() {
    this.card.setAttribute("aria-busy", "true");
    this.text = make("p", { class: "answer-text", dir: "auto" });
    this.waiting = make("div", { class: "waiting", "aria-hidden": "true" }, make("i"), make("i"), make("i"));
    // the state is read out; these lines, which say the same, are not
    this.steps = make("ol", { class: "plain steps small soft", "aria-hidden": "true" });
    this.body.replaceChildren(this.text, this.waiting, this.steps);
    this.say("Looking for evidence…");
  }

  say(words) {
    this.state.replaceChildren(make("span", { class: "spinner", "aria-hidden": "true" }), words);
  }

  /* A step that was just done; the last few stay on the page until the answer begins. */
  step({ name, seconds }) {
    const words = name.replaceAll("_", " ");
    this.say(`${words}…`);
    this.steps.append(make("li", {}, make("span", {}, words), make("span", { class: "number" }, duration(seconds))));
    if (this.steps.childElementCount > STEPS) {
      this.steps.firstElementChild.remove();
    }
  }

  add(piece) {
    this.waiting.remove();
    this.steps.remove();
    this.text.append(piece);
  }

  finish(answer) {
    this.end();
    const parts = [];
    if (answer.supported) {
      parts.push(make("p", { class: "answer-text", dir: "auto" }, ...this.withCitations(answer)));
      parts.push(this.confidence(answer));
    } else {
      parts.push(
        make(
          "div",
          { class: "notice" },
          make("strong", {}, "The evidence does not say"),
          ...reasons(answer).map((reason) => make("p", { dir: "auto" }, ...this.withCitations(answer, reason))),
        ),
      );
    }
    if (answer.citations.length > 0) {
      parts.push(this.citationList(answer));
    }
    parts.push(this.foot(answer));
    this.body.replaceChildren(make("div", { class: "stack-small" }, ...parts));
  }

  fail(error) {
    this.end();
    this.body.replaceChildren(problem(error));
  }

  stop() {
    this.end();
    this.waiting.remove();
    this.steps.remove();
    this.body.append(make("p", { class: "soft" }, "Stopped. The question was cancelled."));
  }

  end() {
    this.card.setAttribute("aria-busy", "false");
    this.state.replaceChildren();
  }

  /* ``text``: the answer's, or a part of it. */
  withCitations(answer, text = answer.text) {
    // several quotes may bear one number: the first [2] is the first quote of 2, and so on
    const left = [...answer.citations];
    const lead = answer.short && text.startsWith(answer.short) ? answer.short : "";
    const items = lead ? [] : [...(answer.items ?? [])];
    const parts = text.slice(lead.length).split(/(\[\d+\])/).flatMap((part) => {
      const number = Number(/^\[(\d+)\]$/.exec(part)?.[1]);
      const index = left.findIndex((citation) => citation.number === number);
      const citation = index >= 0 ? left.splice(index, 1)[0] : answer.citations.find((one) => one.number === number);
      return citation ? [this.citeButton(citation)] : withItems(part, items);
    });
    return lead ? [make("strong", { class: "answer-short" }, lead), ...parts] : parts;
  }

  citeButton(citation) {
    return make(
      "button",
      {
        class: "cite",
        type: "button",
        "aria-label": `Citation ${citation.number}: ${citation.title}`,
        onclick: () => this.openCitation(citation),
      },
      String(citation.number),
    );
  }

  confidence(answer) {
    const ofTriples = answer.citations.some((one) => one.triple_id && !one.chunk_id);
    const percent = Math.round(answer.confidence * 100);
    const word = ofTriples ? "Likeness" : confidenceWord(percent);
    const title = ofTriples
      ? "How like the question the relations on the path are; no measured share of right answers"
      : "The measured share of right answers at such a score";
    return make(
      "div",
      { class: "confidence", title },
      make("strong", {}, word),
      make("meter", {
        min: 0,
        max: 100,
        low: MEDIUM,
        high: HIGH,
        optimum: 100,
        value: percent,
        "aria-label": `${word}, ${percent} %`,
      }),
      make("span", { class: "soft number" }, `${percent} %`),
    );
  }

  citationList(answer) {
    const items = answer.citations.map((citation) =>
      make(
        "li",
        {},
        make(
          "button",
          { class: "citation", type: "button", onclick: () => this.openCitation(citation) },
          make("span", { class: "badge" }, String(citation.number)),
          make(
            "span",
            {},
            make("strong", { dir: "auto" }, citation.title),
            make("span", { class: "small soft place" }, placeWords([citation.page ?? 0], [citation.heading], citation.line ?? null)),
            make("q", { class: "small", dir: "auto" }, citation.quote),
          ),
        ),
      ),
    );
    return make("ol", { class: "plain citations", "aria-label": "Citations" }, ...items);
  }

  foot(answer) {
    const facts = [`Reader: ${answer.reader}`, `strategy: ${answer.evidence.strategy}`];
    if (answer.prompt_tokens + answer.completion_tokens > 0) {
      facts.push(`${answer.prompt_tokens} + ${answer.completion_tokens} tokens`);
    }
    if (answer.dropped_citations > 0) {
      facts.push(answer.dropped_citations === 1 ? "1 citation pointed to nothing and was dropped" : `${answer.dropped_citations} citations pointed to nothing and were dropped`);
    }
    const copy = make("button", { class: "button button-small", type: "button" }, "Copy as JSON");
    copy.addEventListener("click", () => this.copy(copy, JSON.stringify(answer, null, 2)));
    const link = make("button", { class: "button button-small", type: "button" }, "Copy link");
    link.addEventListener("click", () => this.copy(link, location.href));
    return make(
      "div",
      { class: "spread" },
      make("span", { class: "small soft" }, facts.join(" · ")),
      make("span", { class: "row" }, link, copy),
    );
  }

  async copy(button, text) {
    const label = button.textContent;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      button.textContent = "The browser does not allow copying";
    }
    setTimeout(() => {
      button.textContent = label;
    }, 1600);
  }
}
