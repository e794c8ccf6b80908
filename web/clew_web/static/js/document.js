/* The page of a document: marks the quote that led here; deletes the document, tries it again. */
import { letDelete } from "./delete_dialog.js";
import { errorLine, make, marked } from "./dom.js";
import { call } from "./rest.js";

const corpus = document.getElementById("document").dataset.corpus;

const quote = new URLSearchParams(location.search).get("quote");
const text = document.getElementById(decodeURIComponent(location.hash.slice(1)))?.querySelector(".text");
if (quote && text) {
  text.replaceChildren(...marked(text.textContent, quote));
  text.querySelector("mark")?.scrollIntoView({ block: "center" });
}

document.getElementById("retry")?.addEventListener("click", async (event) => {
  const body = { corpus, document_ids: [event.target.dataset.document] };
  const said = document.getElementById("retry-said");
  try {
    const { left } = await call("/documents/retry", { method: "POST", body });
    if (left.length === 0) {
      location.reload();
      return;
    }
    said.replaceChildren(make("p", { class: "error-text", role: "alert" }, left[0].reason));
  } catch (error) {
    said.replaceChildren(errorLine(error));
  }
});

if (document.getElementById("delete-dialog")) {
  const list = `corpus=${encodeURIComponent(corpus)}`;
  letDelete((id) => `/documents/${encodeURIComponent(id)}?${list}`, () => location.assign(`/documents?${list}`));
}
