/* The page of a document: marks the quote that led here; deletes the document, tries it again. */
import { letDelete } from "./delete_dialog.js";
import { errorLine, marked, once } from "./dom.js";
import { call } from "./rest.js";

const corpus = document.getElementById("document").dataset.corpus;

const quote = new URLSearchParams(location.search).get("quote");
const text = document.getElementById(decodeURIComponent(location.hash.slice(1)))?.querySelector(".text");
if (quote && text) {
  text.replaceChildren(...marked(text.textContent, quote));
  text.querySelector("mark")?.scrollIntoView({ block: "center" });
}

document.getElementById("retry")?.addEventListener("click", ({ target }) => {
  const body = { corpus, document_ids: [target.dataset.document] };
  const said = document.getElementById("retry-said");
  once(target, async () => {
    try {
      const { left } = await call("/documents/retry", { method: "POST", body });
      if (left.length === 0) {
        location.reload();
        return;
      }
      said.replaceChildren(errorLine({ message: left[0].reason }));
    } catch (error) {
      said.replaceChildren(errorLine(error));
    }
  });
});

if (document.getElementById("delete-dialog")) {
  const list = `corpus=${encodeURIComponent(corpus)}`;
  letDelete((id) => `/documents/${encodeURIComponent(id)}?${list}`, () => location.assign(`/documents?${list}`));
}
