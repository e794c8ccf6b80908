/* Steps through the stages of a drawing: a slider, a button to either side, the stage's name. */
import { make } from "./dom.js";

export class GraphStages {
  /* ``show(stage, isLast, stepped)``: what came up to that stage, numbered from 0, is to be shown;
     ``stepped``: the user went there. */
  constructor(show) {
    this.show = show;
    this.slider = make("input", { type: "range", min: "0", step: "1", "aria-label": "Shown up to stage", oninput: () => this.go(Number(this.slider.value)) });
    this.words = make("output", { class: "small" });
    this.back = this.button("Stage before", "‹", -1);
    this.on = this.button("Next stage", "›", 1);
    this.element = make("div", { class: "graph-stages", role: "group", "aria-label": "Stages", hidden: true }, this.back, this.slider, this.on, this.words);
  }

  button(label, text, by) {
    return make("button", { class: "button button-small", type: "button", "aria-label": label, title: label, onclick: () => this.go(this.stage + by) }, text);
  }

  /* Takes the stages' names; shows the last one. Fewer than two stages are nothing to step through. */
  update(names) {
    this.names = names;
    this.element.hidden = names.length < 2;
    this.slider.max = String(Math.max(names.length - 1, 0));
    this.go(names.length - 1, false);
  }

  /* What was added since is held to the stage that is shown. */
  again() {
    this.go(this.stage, this.stepped);
  }

  go(stage, stepped = true) {
    const last = this.names.length - 1;
    this.stage = Math.max(0, Math.min(stage, last));
    const words = `${this.stage + 1} of ${last + 1}: ${this.names[this.stage] ?? ""}`;
    this.slider.value = String(this.stage);
    this.slider.setAttribute("aria-valuetext", words);
    this.words.textContent = words;
    this.back.disabled = this.stage === 0;
    this.on.disabled = this.stage >= last;
    this.stepped = stepped;
    this.show(this.stage, this.stage >= last, stepped);
  }
}
