/* A conversation on the Ask page: what was asked before, and the box for the next question. */
import { make } from "./dom.js";
import { askedInThisTab, keptTurns, turnOf } from "./kept_answers.js";

const at = (id) => document.getElementById(id);
const cut = (text, length) => [...text].slice(0, length).join("");

const linked = ({ question, answer, search }) =>
  make("li", {}, make("a", { href: `${location.pathname}${search}`, dir: "auto" }, question), answer ? make("span", { class: "soft" }, " — ", make("bdi", {}, answer)) : null);

export class FollowUp {
  /* ``ask``: is called with each question that is asked further. */
  constructor(ask) {
    this.turns = [];
    this.asked = ""; // as it was typed, where that leans on what was asked before
    this.last = null;
    this.form = at("follow-form");
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = at("follow-up").value.trim();
      if (text && this.last) {
        this.turns = [...this.turns, this.last];
        this.asked = text;
        ask(text);
      }
    });
    this.list();
  }

  /* What the server is told of the questions before: as many, and as much of each, as it takes. */
  history() {
    const { mostTurns, longestQuestion, longestAnswer } = this.form.dataset;
    const told = this.turns
      .slice(-mostTurns)
      .map(({ question, answer }) => ({ question: cut(question, longestQuestion), answer: cut(answer, longestAnswer) }));
    return told.length === 0 ? {} : { history: told };
  }

  /* A question that leans on nothing begins; ``kept``: one that was answered in this tab. */
  begin(kept) {
    Object.assign(this, { last: null }, kept ? keptTurns() : { turns: [], asked: "" });
  }

  /* A question is asked. */
  start() {
    this.form.hidden = true;
    at("understood").hidden = true;
    at("turns").replaceChildren(...this.turns.map(linked));
    at("turns-before").hidden = this.turns.length === 0;
  }

  /* How it was understood; nothing is said where that is how it was asked. */
  understood(meant) {
    at("understood").hidden = this.asked === "" || this.asked === meant;
    at("understood").replaceChildren("“", make("bdi", {}, this.asked), "” was understood as “", make("strong", { dir: "auto" }, meant), "”");
  }

  /* It was answered: the next may lean on it. */
  finish(answer) {
    this.last = { ...turnOf(answer), search: location.search };
    at("follow-up").value = "";
    this.form.hidden = false;
    this.list();
  }

  /* It was not answered: where it leans on what was asked before, it can be asked so again. */
  fail() {
    if (this.last) {
      this.turns = this.turns.slice(0, -1);
      this.form.hidden = false;
    }
  }

  list() {
    const asked = askedInThisTab();
    at("asked-here").hidden = asked.length === 0;
    at("asked-here-list").replaceChildren(...asked.map(linked));
  }
}
