/* The Bench page: what fits the chosen documents, two runs to compare, delete. */
import { letDelete } from "./delete_dialog.js";

const form = document.getElementById("bench-form");
const dataSet = document.getElementById("data-set");
const questions = document.getElementById("questions-fields");
const strategies = [...document.querySelectorAll("#strategy-fields input")];
const ablations = document.getElementById("ablations");
const strategyFields = document.getElementById("strategy-fields");

/* The sample has its questions; of the two other sources only the chosen one's fields are sent. */
function showQuestions() {
  const own = dataSet.value === "sample";
  questions.hidden = own;
  questions.disabled = own;
  const source = form.elements.source.value;
  for (const name of ["graph", "file"]) {
    const detail = document.getElementById(`${name}-detail`);
    detail.hidden = source !== name;
    detail.querySelector("input").disabled = source !== name;
  }
  document.getElementById("questions").required = source === "file";
}

/* An ablation study is of one strategy: there is nothing to choose among the others then. */
function checkStrategies() {
  strategyFields.hidden = strategyFields.disabled = ablations.value !== "";
  const some = strategyFields.disabled || strategies.some((box) => box.checked);
  strategies[0].setCustomValidity(some ? "" : "Choose one or more strategies.");
}

form.addEventListener("change", () => {
  showQuestions();
  checkStrategies();
});
window.addEventListener("pageshow", () => {
  showQuestions();
  checkStrategies();
});

/* The list is swapped when it changes; what was chosen in it is chosen again. */
const runs = document.getElementById("runs");
const compareButton = document.getElementById("compare-button");
const compareHelp = document.getElementById("compare-help");
let chosen = [];

function showChosen() {
  const boxes = [...runs.querySelectorAll("input[name=run]")];
  for (const box of boxes) {
    box.checked = chosen.includes(box.value);
  }
  chosen = chosen.filter((id) => boxes.some((box) => box.value === id));
  document.getElementById("compare-form").hidden = boxes.length < 2;
  compareButton.disabled = chosen.length !== 2;
  compareHelp.textContent = ["Choose two to compare them.", "Choose one more.", "Two are chosen."][chosen.length];
}

/* A third choice takes the place of the first. */
runs.addEventListener("change", (event) => {
  if (event.target.name === "run") {
    chosen = chosen.filter((id) => id !== event.target.value);
    if (event.target.checked) {
      chosen = [...chosen, event.target.value].slice(-2);
    }
    showChosen();
  }
});
new MutationObserver(showChosen).observe(runs, { childList: true });
window.addEventListener("pageshow", () => {
  chosen = [...runs.querySelectorAll("input[name=run]:checked")].map((box) => box.value).slice(-2);
  showChosen();
});

letDelete((id) => `/bench/runs/${encodeURIComponent(id)}`);
