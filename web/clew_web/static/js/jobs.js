/* Cancels jobs; used wherever jobs are listed. */
import { refreshLive } from "./page.js";
import { call } from "./rest.js";

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-cancel-job]");
  if (!button) {
    return;
  }
  button.disabled = true;
  button.textContent = "Cancelling…";
  try {
    await call(`/jobs/${encodeURIComponent(button.dataset.cancelJob)}/cancel`, { method: "POST" });
  } catch (error) {
    button.textContent = error.message;
  }
  button.blur();
  await refreshLive();
});
