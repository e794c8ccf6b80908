/* The Bench page: two runs to compare. */

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
