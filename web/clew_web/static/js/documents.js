/* The Documents page: upload by drop or choice, by address, delete, new corpus. */
import { letDelete } from "./delete_dialog.js";
import { errorWords, make, once } from "./dom.js";
import { refreshLive } from "./page.js";
import { RestError, call } from "./rest.js";
import { upload } from "./upload.js";

const MIB = 1024 * 1024;
const BATCH_FILES = 100;

const drop = document.getElementById("drop");
const input = document.getElementById("files");
const asTriples = document.getElementById("as-triples");
const list = document.getElementById("uploads");
const corpus = drop.dataset.corpus;
const limit = Number(drop.dataset.limitMib) * MIB;

function report(label) {
  const bar = make("progress", { class: "progress", max: 1, value: 0, "aria-label": `Upload of ${label}` });
  const state = make("span", { class: "small soft" }, "Waiting…");
  const row = make("li", {}, make("div", { class: "spread" }, make("strong", {}, label), state), bar);
  list.prepend(row);
  return {
    progress(share) {
      bar.value = share;
      state.textContent = share < 1 ? `${Math.round(share * 100)} %` : "Storing…";
    },
    done({ words, whole }) {
      bar.remove();
      state.replaceChildren(make("span", { class: `badge badge-long ${whole ? "badge-good" : "badge-warn"}` }, words));
    },
    fail(error) {
      bar.remove();
      state.replaceChildren(make("span", { class: "badge badge-bad" }, "refused"));
      row.append(make("p", { class: "small error-text", role: "alert" }, errorWords(error)));
    },
  };
}

/* Groups files so that no request is over the limit. */
function batches(files) {
  const groups = [];
  let size = Infinity;
  for (const file of files) {
    if (size + file.size > limit || groups.at(-1).length >= BATCH_FILES) {
      groups.push([]);
      size = 0;
    }
    groups.at(-1).push(file);
    size += file.size;
  }
  return groups;
}

/* What was done in words, and whether that was all that was asked for. */
function told(accepted) {
  const failed = accepted.documents.filter((document) => document.error !== null);
  const changed = accepted.documents.filter((document) => document.changed && document.error === null).length;
  const same = accepted.documents.length - changed - failed.length;
  const parts = [];
  if (failed.length === accepted.documents.length && failed.length === 1) {
    throw new RestError(failed[0].error);
  }
  if (failed.length > 0) {
    parts.push(`${failed.length} failed`);
  }
  if (changed > 0) {
    parts.push(`${changed} stored`);
  }
  if (same > 0) {
    parts.push(`${same} unchanged`);
  }
  if (accepted.fetching.length > 0) {
    parts.push("being fetched");
  }
  if (accepted.skipped.length > 0) {
    parts.push(`${accepted.skipped.length} left out: ${accepted.skipped[0].reason}`);
  }
  if (accepted.new_corpus !== null) {
    parts.push(`in the new corpus ${accepted.new_corpus}`);
  }
  return { words: parts.join(", ") || "nothing to do", whole: failed.length + accepted.skipped.length === 0 };
}

async function add(files) {
  const fitting = [];
  const names = new Set();
  for (const file of files) {
    if (file.size > limit) {
      report(file.name).fail({
        message: `The file has ${Math.ceil(file.size / MIB)} MiB.`,
        remedy: `At most ${drop.dataset.limitMib} MiB are taken; split it.`,
      });
    } else if (names.has(file.name)) {
      report(file.name).fail({
        message: "Another file of this name was chosen with it.",
        remedy: "One would replace the other; rename one.",
      });
    } else {
      names.add(file.name);
      fitting.push(file);
    }
  }
  const readAs = asTriples.checked ? "triples" : "documents";
  for (const batch of batches(fitting)) {
    const row = report(batch.length === 1 ? batch[0].name : `${batch.length} files`);
    try {
      row.done(told(await upload(corpus, batch, readAs, row.progress)));
    } catch (error) {
      row.fail(error);
    }
    await refreshLive();
  }
}

/* Adds what was dropped; a folder is no file that could be sent. */
async function addDropped(items) {
  const files = [];
  for (const item of items) {
    const entry = item.webkitGetAsEntry();
    if (entry?.isDirectory) {
      report(entry.name).fail({ message: "It is a folder.", remedy: "Choose the files in it." });
    } else if (item.kind === "file") {
      files.push(item.getAsFile());
    }
  }
  await add(files);
}

input.addEventListener("change", () => {
  add([...input.files]);
  input.value = "";
});
let depth = 0;
for (const name of ["dragenter", "dragover", "dragleave", "drop"]) {
  drop.addEventListener(name, (event) => {
    event.preventDefault();
    depth += { dragenter: 1, dragleave: -1 }[name] ?? 0;
    if (name === "drop") {
      depth = 0;
      addDropped(event.dataTransfer.items);
    }
    drop.classList.toggle("over", depth > 0);
  });
}

document.getElementById("address-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const field = document.getElementById("address");
  once(event.submitter, async () => {
    const row = report(field.value);
    try {
      row.done(told(await call("/documents", { method: "POST", body: { corpus, url: field.value } })));
      field.value = "";
    } catch (error) {
      row.fail(error);
    }
    await refreshLive();
  });
});

letDelete((id) => `/documents/${encodeURIComponent(id)}?corpus=${encodeURIComponent(corpus)}`);
