/* The Webhooks page: add one, whose secret is shown once, and delete one. */
import { letDelete } from "./delete_dialog.js";
import { once, problem } from "./dom.js";
import { refreshLive } from "./page.js";
import { call } from "./rest.js";
import { showOnce } from "./shown_once.js";

const form = document.getElementById("webhook-form");

form?.addEventListener("submit", (event) => {
  event.preventDefault();
  const said = document.getElementById("webhook-problem");
  const fields = new FormData(form);
  const body = { url: fields.get("url").trim(), corpus: fields.get("corpus"), kinds: fields.getAll("kinds") };
  once(event.submitter, async () => {
    try {
      const made = await call("/webhooks", { method: "POST", body });
      form.reset();
      said.replaceChildren();
      showOnce(made.secret);
      await refreshLive();
    } catch (error) {
      said.replaceChildren(problem(error));
    }
  });
});

letDelete((id) => `/webhooks/${encodeURIComponent(id)}`);
