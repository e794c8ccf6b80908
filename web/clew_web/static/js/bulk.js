/* The Documents page: several documents at once, chosen by ticks that outlive a refresh. */
import { errorWords } from "./dom.js";
import { refreshLive } from "./page.js";
import { call } from "./rest.js";

const list = document.getElementById("list");
const corpus = document.getElementById("bulk").dataset.corpus;
const retry = document.getElementById("bulk-retry");
const remove = document.getElementById("bulk-delete");
const place = document.getElementById("bulk-count");
const dialog = document.getElementById("bulk-dialog");
const chosen = new Set();

const boxes = () => [...list.querySelectorAll("[data-pick]")];
const failed = () => boxes().filter((box) => box.checked && box.dataset.status === "failed");
const documents = (count) => `${count} document${count === 1 ? "" : "s"}`;

function show() {
  const ticked = boxes().filter((box) => box.checked).length;
  const all = document.getElementById("pick-all");
  if (all) {
    all.checked = ticked > 0 && ticked === boxes().length;
    all.indeterminate = ticked > 0 && ticked < boxes().length;
  }
  retry.hidden = remove.hidden = !all;
  remove.disabled = ticked === 0;
  retry.disabled = failed().length === 0;
}

function say(words, bad = false) {
  place.classList.toggle("error-text", bad);
  place.textContent = words;
}

list.addEventListener("change", (event) => {
  if (event.target.id === "pick-all") {
    for (const box of boxes()) {
      box.checked = event.target.checked;
    }
  }
  if (event.target.id === "pick-all" || event.target.dataset.pick) {
    chosen.clear();
    for (const box of boxes().filter((one) => one.checked)) {
      chosen.add(box.dataset.pick);
    }
    say(chosen.size > 0 ? `${documents(chosen.size)} chosen` : "");
    show();
  }
});

/* the list was rendered anew: what was ticked stays so */
new MutationObserver(() => {
  for (const box of boxes()) {
    box.checked = chosen.has(box.dataset.pick);
  }
  show();
}).observe(list, { childList: true });

async function refresh(words, bad) {
  chosen.clear();
  document.activeElement?.blur();
  for (const box of boxes()) {
    box.checked = false;
  }
  await refreshLive();
  show();
  say(words, bad);
}

remove.addEventListener("click", () => {
  document.getElementById("bulk-title").textContent = `Delete ${documents(chosen.size)}?`;
  dialog.returnValue = "cancel";
  dialog.showModal();
});

retry.addEventListener("click", async () => {
  const ids = failed().map((box) => box.dataset.pick);
  try {
    const done = await call("/documents/retry", { method: "POST", body: { corpus, document_ids: ids } });
    const left = done.left.length > 0 ? ` ${done.left.length} cannot be: ${done.left[0].reason}` : "";
    await refresh(`${documents(done.documents)} tried again.${left}`, done.documents === 0);
  } catch (error) {
    say(errorWords(error), true);
  }
});

dialog.addEventListener("close", async () => {
  if (dialog.returnValue !== "delete") {
    return;
  }
  const ids = [...chosen];
  let deleted = 0;
  try {
    for (const id of ids) {
      say(`${deleted} of ${ids.length} deleted…`);
      await call(`/documents/${encodeURIComponent(id)}?corpus=${encodeURIComponent(corpus)}`, { method: "DELETE" });
      deleted += 1;
    }
    await refresh(`${documents(deleted)} deleted.`);
  } catch (error) {
    await refresh(`${deleted} of ${ids.length} deleted; then: ${errorWords(error)}`, true);
  }
});
show();
