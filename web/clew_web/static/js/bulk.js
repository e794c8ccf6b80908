/* The Documents page: several documents at once, chosen by ticks that outlive a refresh. */
import { errorWords, once } from "./dom.js";
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
    sayChosen();
    show();
  }
});

function sayChosen() {
  say(chosen.size > 0 ? `${documents(chosen.size)} chosen` : "");
}

/* the list was rendered anew: what was ticked stays so, and what has left the list is not chosen */
new MutationObserver(() => {
  const before = chosen.size;
  const here = new Set(boxes().map((box) => box.dataset.pick));
  [...chosen].filter((id) => !here.has(id)).forEach((id) => chosen.delete(id));
  for (const box of boxes()) {
    box.checked = chosen.has(box.dataset.pick);
  }
  show();
  if (chosen.size < before) {
    sayChosen();
  }
}).observe(list, { childList: true });

function chooseNone() {
  chosen.clear();
  for (const box of boxes()) {
    box.checked = false;
  }
  show();
}

async function refresh(words, bad) {
  chooseNone();
  document.activeElement?.blur();
  await refreshLive();
  say(words, bad);
}

remove.addEventListener("click", () => {
  document.getElementById("bulk-title").textContent = `Delete ${documents(chosen.size)}?`;
  dialog.returnValue = "cancel";
  dialog.showModal();
});

retry.addEventListener("click", () => {
  const ids = failed().map((box) => box.dataset.pick);
  once(retry, async () => {
    try {
      const done = await call("/documents/retry", { method: "POST", body: { corpus, document_ids: ids } });
      const left = done.left.length > 0 ? ` ${done.left.length} cannot be: ${done.left[0].reason}` : "";
      await refresh(`${documents(done.documents)} tried again.${left}`, done.documents === 0);
    } catch (error) {
      say(errorWords(error), true);
    }
  });
});

async function deleteOne(id) {
  try {
    await call(`/documents/${encodeURIComponent(id)}?corpus=${encodeURIComponent(corpus)}`, { method: "DELETE" });
  } catch (error) {
    if (error.status !== 404) {
      throw error; // else somebody else has deleted it meanwhile
    }
  }
}

dialog.addEventListener("close", async () => {
  if (dialog.returnValue !== "delete") {
    return;
  }
  const ids = [...chosen];
  chooseNone(); // from now on what leaves the list is counted as deleted
  let deleted = 0;
  try {
    for (const id of ids) {
      say(`${deleted} of ${ids.length} deleted…`);
      await deleteOne(id);
      deleted += 1;
    }
    await refresh(`${documents(deleted)} deleted.`);
  } catch (error) {
    await refresh(`${deleted} of ${ids.length} deleted; then: ${errorWords(error)}`, true);
  }
});
show();
