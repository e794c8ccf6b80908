/* Cancels jobs, and has done again what they left; used wherever jobs are listed. */
import { errorLine } from "./dom.js";
import { refreshLive } from "./page.js";
import { call } from "./rest.js";

const ACTIONS = [
  { button: "[data-cancel-job]", id: "cancelJob", path: "cancel", words: "Cancelling…" },
  { button: "[data-retry-job]", id: "retryJob", path: "retry", words: "Entering…" },
];

document.addEventListener("click", async (event) => {
  const action = ACTIONS.find(({ button }) => event.target.closest(button));
  if (!action) {
    return;
  }
  const button = event.target.closest(action.button);
  const label = button.textContent;
  button.disabled = true;
  button.textContent = action.words;
  const id = encodeURIComponent(button.dataset[action.id]);
  try {
    const job = await call(`/jobs/${id}/${action.path}`, { method: "POST" });
    if (location.pathname === `/jobs/${id}` && action.path === "retry") {
      location.assign(`/jobs/${encodeURIComponent(job.id)}`);
      return;
    }
  } catch (error) {
    button.disabled = false;
    button.textContent = label;
    tell(button, error);
    return;
  }
  button.blur();
  await refreshLive();
});

/* Says under a job why it could not be; the next refresh takes it away. */
function tell(button, error) {
  const job = button.closest(".job");
  job.querySelector("[role=alert]")?.remove();
  job.append(errorLine(error));
}
