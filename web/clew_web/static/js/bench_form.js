/* The Bench page of who may change it: what fits the chosen documents, delete. */
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

letDelete((id) => `/bench/runs/${encodeURIComponent(id)}`);
