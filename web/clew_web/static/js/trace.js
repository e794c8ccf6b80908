/* The trace: every step with its time, as bars. */
import { make } from "./dom.js";

const list = document.getElementById("trace");
const total = document.getElementById("trace-total");

export function duration(seconds) {
  if (seconds < 0.00005) {
    return "< 0.1 ms";
  }
  return seconds < 1 ? `${(seconds * 1000).toFixed(seconds < 0.01 ? 1 : 0)} ms` : `${seconds.toFixed(2)} s`;
}

function shown(value) {
  if (value !== null && typeof value === "object") {
    return Array.isArray(value)
      ? value.slice(0, 6).map(shown).join(", ") + (value.length > 6 ? " …" : "")
      : Object.entries(value).map(([name, inner]) => `${name} ${shown(inner)}`).join(", ");
  }
  return typeof value === "number" && !Number.isInteger(value) ? value.toPrecision(3) : String(value);
}

export class Trace {
  constructor() {
    this.steps = [];
  }

  clear() {
    this.steps = [];
    list.replaceChildren();
    total.textContent = "";
  }

  add(step) {
    this.steps.push(step);
    this.draw();
  }

  /* The answer's own steps; one named total is the whole, not a step. */
  finish(answer) {
    const whole = answer.trace.find((step) => step.name === "total");
    this.steps = [...answer.evidence.trace, ...answer.trace.filter((step) => step !== whole)];
    this.draw();
    if (whole) {
      total.textContent = `${duration(whole.seconds)} in all`;
    }
  }

  draw() {
    const longest = Math.max(...this.steps.map((step) => step.seconds), 1e-9);
    list.replaceChildren(
      ...this.steps.map((step) => {
        const bar = make("i");
        bar.style.width = `${(100 * step.seconds) / longest}%`;
        const detail = Object.entries(step.detail).map(([name, value]) => `${name.replaceAll("_", " ")}: ${shown(value)}`);
        return make(
          "li",
          {},
          make("span", { class: "name" }, step.name.replaceAll("_", " ")),
          make("span", { class: "trace-bar", "aria-hidden": "true" }, bar),
          make("span", { class: "time" }, duration(step.seconds)),
          detail.length > 0 ? make("span", { class: "detail" }, detail.join(" · ")) : null,
        );
      }),
    );
  }
}
