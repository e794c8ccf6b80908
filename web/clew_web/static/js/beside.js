/* Answers of several strategies side by side: a column each, and what one alone found is marked. */
import { AnswerView } from "./answer.js";
import { follow } from "./answer_events.js";
import { make } from "./dom.js";
import { EvidenceList } from "./evidence.js";
import { keep, keptAnswer } from "./kept_answers.js";
import { stream } from "./rest.js";

const MOST = 4;

/* One strategy's answer and evidence, as they come. */
class Column {
  constructor(name, changed) {
    this.name = name;
    this.changed = changed;
    const parts = {
      state: make("p", { class: "row small soft", role: "status" }),
      body: make("div"),
      suggestions: make("div", { class: "stack-small" }),
      notices: make("div", { class: "stack-small" }),
      count: make("span", { class: "small soft" }),
      list: make("ol", { class: "plain evidence" }),
    };
    this.alone = make("a", { class: "small" }, "Alone", make("span", { class: "unseen" }, `: ${name}`));
    this.lead();
    this.shared = make("p", { class: "small soft beside-shared" });
    this.element = make(
      "section",
      { class: "card stack-small", "aria-label": name, "aria-busy": "false" },
      make("div", { class: "spread" }, make("h2", {}, name), this.alone),
      parts.state,
      parts.suggestions,
      parts.body,
      make("div", { class: "spread" }, make("h3", {}, "Evidence"), parts.count),
      this.shared,
      parts.notices,
      parts.list,
    );
    this.evidence = new EvidenceList(parts);
    this.answer = new AnswerView((citation) => this.evidence.open(citation), { ...parts, card: this.element });
  }

  get found() {
    return this.evidence.passages;
  }

  /* Lets a link ask this strategy alone what the page's address asks. */
  lead() {
    const alone = new URL(location.href);
    alone.searchParams.delete("beside");
    alone.searchParams.set("strategy", this.name);
    this.alone.href = alone.href;
  }

  async ask(body, signal, byItself, understood) {
    this.answer.start();
    const kept = byItself ? keptAnswer(this.name) : null;
    await follow(kept ?? stream("/query/stream", body, signal), signal, {
      progress: (data) => this.answer.say(`${data.text}…`),
      trace: (data) => this.answer.step(data),
      evidence: (data) => {
        understood(data.question);
        this.lead();
        this.evidence.show(data);
        this.changed();
        this.answer.say("Reading the evidence…");
      },
      piece: (data) => this.answer.add(data.text),
      answer: (data, heard) => {
        keep(heard, this.name);
        this.evidence.show(data.evidence);
        this.answer.finish(data);
        this.evidence.cite(data.citations);
        this.changed();
      },
      error: (error) => this.answer.fail(error),
      stop: () => this.answer.stop(),
    });
  }

  /* Marks what none of the other columns has; says how much they share. */
  mark(others) {
    const alone = [...this.found].filter(([id]) => !others.some((other) => other.found.has(id)));
    for (const { details } of this.found.values()) {
      details.querySelector(".only-here")?.remove();
    }
    for (const [, passage] of alone) {
      passage.cited.before(make("span", { class: "badge badge-entity only-here" }, "only here"));
    }
    const all = this.found.size;
    this.shared.textContent = all > 0 ? `${all - alone.length} of ${all} found by another too` : "";
  }
}

export class Beside {
  constructor(choice, result) {
    this.choice = choice;
    this.result = result;
    choice.addEventListener("change", () => this.bound());
    // what the browser has ticked again counts: it is there once the page is shown
    window.addEventListener("pageshow", () => {
      this.bound();
      choice.open ||= this.chosen.length > 0;
    });
  }

  get chosen() {
    return [...this.choice.querySelectorAll("input:checked")].map((box) => box.value);
  }

  /* The strategies that are asked beside the one that is chosen above. */
  others(name) {
    return this.chosen.filter((other) => other !== name).slice(0, MOST - 1);
  }

  bound() {
    const full = this.chosen.length >= MOST - 1;
    for (const box of this.choice.querySelectorAll("input:not([data-unaskable])")) {
      box.disabled = full && !box.checked;
    }
  }

  show(shown) {
    this.result.hidden = !shown;
  }

  /* Asks all at once; ``asked``: {name, body} of each; ``understood``: is told how the question was
     understood. */
  async ask(asked, signal, byItself, understood) {
    const columns = asked.map(({ name }) => new Column(name, () => this.compare(columns)));
    this.result.replaceChildren(...columns.map((column) => column.element));
    await Promise.all(columns.map((column, place) => column.ask(asked[place].body, signal, byItself, understood)));
  }

  compare(columns) {
    const answered = columns.filter((column) => column.found.size > 0);
    if (answered.length > 1) {
      answered.forEach((column) => column.mark(answered.filter((other) => other !== column)));
    }
  }
}
