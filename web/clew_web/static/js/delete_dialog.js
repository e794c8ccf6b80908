/* Asks before something is deleted. A button has data-delete (its id) and data-title (its name). */
import { make } from "./dom.js";
import { refreshLive } from "./page.js";
import { call } from "./rest.js";

/* Let the page's delete buttons delete; path: from an id to its address under /api/v1. */
export function letDelete(path) {
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
  document.getElementById("delete-confirm").addEventListener("click", async () => {
    try {
      await call(path(doomed), { method: "DELETE" });
      dialog.close();
      document.activeElement?.blur();
      await refreshLive();
      document.getElementById("main").focus();
    } catch (error) {
      problem.replaceChildren(make("p", { class: "error-text", role: "alert" }, `${error.message} ${error.remedy ?? ""}`));
    }
  });
}
