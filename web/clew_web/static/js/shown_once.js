/* What is told once, such as a new API key: shown in a dialog, copied, and forgotten. */
const at = (id) => document.getElementById(`once-${id}`);

export function showOnce(value) {
  at("value").value = value;
  at("said").textContent = "";
  at("dialog").showModal();
  at("value").select();
}

at("copy").addEventListener("click", async () => {
  at("value").select();
  try {
    await navigator.clipboard.writeText(at("value").value);
    at("said").textContent = "Copied.";
  } catch {
    at("said").textContent = "Copy what is marked.";
  }
});
at("close").addEventListener("click", () => at("dialog").close());
at("dialog").addEventListener("close", () => {
  at("value").value = "";
});
