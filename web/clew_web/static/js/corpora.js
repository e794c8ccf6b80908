/* Corpora, on the pages that show them: make one, choose its extractor, delete one. */
import { errorLine, errorWords, make, once } from "./dom.js";
import { call } from "./rest.js";

async function exists(name) {
  try {
    await call(`/corpora/${encodeURIComponent(name)}`);
    return true;
  } catch (error) {
    if (error.status === 404) {
      return false;
    }
    throw error;
  }
}

const corpusDialog = document.getElementById("corpus-dialog");
const corpusProblem = document.getElementById("corpus-problem");
document.getElementById("new-corpus")?.addEventListener("click", () => {
  corpusProblem.replaceChildren();
  corpusDialog.showModal();
});
document.getElementById("corpus-cancel")?.addEventListener("click", () => corpusDialog.close());
document.getElementById("corpus-form")?.addEventListener("submit", (event) => {
  event.preventDefault();
  const name = document.getElementById("corpus-name").value.trim();
  const address = `/documents?corpus=${encodeURIComponent(name)}`;
  once(event.submitter, async () => {
    try {
      if (await exists(name)) {
        const link = make("a", { href: address }, "Open it");
        corpusProblem.replaceChildren(make("p", { role: "alert" }, `There is a corpus ${name} already. `, link));
        return;
      }
      const extractor = document.getElementById("corpus-extractor").value || null;
      await call("/corpora", { method: "POST", body: { name, extractor } });
      location.assign(address);
    } catch (error) {
      corpusProblem.replaceChildren(errorLine(error));
    }
  });
});

const extractor = document.getElementById("extractor");
extractor?.addEventListener("change", async () => {
  const said = document.getElementById("extractor-said");
  const path = `/corpora/${encodeURIComponent(extractor.dataset.corpus)}`;
  try {
    const changed = await call(path, { method: "PATCH", body: { extractor: extractor.value } });
    extractor.dataset.current = changed.extractor;
    said.className = "small soft";
    said.textContent =
      changed.documents > 0
        ? "From now on. What is here keeps its triples until the same files are added again."
        : "From now on.";
  } catch (error) {
    extractor.value = extractor.dataset.current;
    said.className = "small error-text";
    said.textContent = errorWords(error);
  }
});

const deleteDialog = document.getElementById("delete-corpus");
document.getElementById("delete-open")?.addEventListener("click", () => deleteDialog.showModal());
document.getElementById("delete-typed")?.addEventListener("input", (event) => {
  document.getElementById("delete-now").disabled = event.target.value !== deleteDialog.dataset.corpus;
});
document.getElementById("delete-form")?.addEventListener("submit", async (event) => {
  if (event.submitter?.value === "cancel") {
    return;
  }
  event.preventDefault();
  const button = document.getElementById("delete-now");
  button.disabled = true;
  button.textContent = "Deleting…";
  try {
    await call(`/corpora/${encodeURIComponent(deleteDialog.dataset.corpus)}`, { method: "DELETE" });
    location.assign("/corpora");
  } catch (error) {
    button.disabled = false;
    button.textContent = "Delete";
    document
      .getElementById("delete-said")
      .replaceChildren(errorLine(error));
  }
});
