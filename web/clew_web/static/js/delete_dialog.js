/* Asks before something is deleted. A button has data-delete (its id) and data-title (its name). */
import { errorLine, once } from "./dom.js";
import { refreshLive } from "./page.js";
import { call } from "./rest.js";

/* The lists of the page without what was deleted. */
async function refresh() {
  document.activeElement?.blur();
  await refreshLive();
  document.getElementById("main").focus();
}

/* Let the page's delete buttons delete; path: from an id to its address under /api/v1; ``deleted``:
   what is done then. */
export function letDelete(path, deleted = refresh) {
  const dialog = document.getElementById("delete-dialog");
  const problem = document.getElementById("delete-problem");
  let doomed = null;

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-delete]");
    if (button) {
      doomed = button.dataset.delete;
      document.getElementById("delete-name").textContent = button.dataset.title;
      problem.replaceChildren();
      dialog.showModal();
    }
  });
  document.getElementById("delete-confirm").addEventListener("click", ({ target }) =>
    once(target, async () => {
      try {
        await call(path(doomed), { method: "DELETE" });
        dialog.close();
        await deleted();
      } catch (error) {
        problem.replaceChildren(errorLine(error));
      }
    }),
  );
}
