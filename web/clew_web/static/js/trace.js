/* The trace: every step with its time, as bars. */
import { make } from "./dom.js";

const list = document.getElementById("trace");
const total = document.getElementById("trace-total");

export function duration(seconds) {
  if (seconds < 0.00005) {
    return "< 0.1 ms";
  }
  return seconds < 0.9995 ? `${(seconds * 1000).toFixed(seconds < 0.01 ? 1 : 0)} ms` : `${seconds.toFixed(2)} s`;
}

function shown(value) {
  if (Array.isArray(value) && value.length === 0) {
    return "none";
  }
  if (value !== null && typeof value === "object") {
    return Array.isArray(value)
      ? value.slice(0, 6).map(shown).join(", ") + (value.length > 6 ? " …" : "")
      : Object.entries(value).map(([name, inner]) => `${name} ${shown(inner)}`).join(", ");
  }
  return typeof value === "number" && !Number.isInteger(value) ? value.toPrecision(3) : String(value);
}

/* A step of a search in several steps ("step 2: embed") without what all of that search share. */
function ofSearch(step) {
  const [, number, name] = /^step (\d+): (.*)$/.exec(step.name) ?? [];
  if (!number || !step.detail.query) {
    return { number: "", name: step.name, detail: step.detail };
  }
  const { query: _, ...detail } = step.detail;
  return { number, name, detail };
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
    let before = "";
    list.replaceChildren(
      ...this.steps.flatMap((step) => {
        const { number, name, detail } = ofSearch(step);
        const begins = number !== before && (number || before);
        before = number;
        const head = number ? `Step ${number}: “${step.detail.query}”` : "After the steps";
        return [...(begins ? [make("li", { class: "trace-head" }, head)] : []), this.line(name, step.seconds / longest, step.seconds, detail)];
      }),
    );
  }

  line(name, share, seconds, detail) {
    const bar = make("i");
    bar.style.width = `${100 * share}%`;
    const words = Object.entries(detail).map(([key, value]) => `${key.replaceAll("_", " ")}: ${shown(value)}`);
    return make(
      "li",
      {},
      make("span", { class: "name" }, name.replaceAll("_", " ")),
      make("span", { class: "trace-bar", "aria-hidden": "true" }, bar),
      make("span", { class: "time" }, duration(seconds)),
      words.length > 0 ? make("span", { class: "detail" }, words.join(" · ")) : null,
    );
  }
}
