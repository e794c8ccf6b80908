/* What every page does: the theme toggle, live sections, and forms that submit on a change. */

const toggle = document.querySelector("[data-theme-toggle]");

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function showTheme() {
  toggle.setAttribute("aria-label", isDark() ? "Switch to light" : "Switch to dark");
  toggle.title = toggle.getAttribute("aria-label");
}

toggle.addEventListener("click", () => {
  const next = isDark() ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  localStorage.setItem("clew-theme", next);
  showTheme();
});
showTheme();

for (const field of document.querySelectorAll("[data-submit-on-change]")) {
  field.addEventListener("change", () => field.form.requestSubmit());
}

/* Sections marked data-live are fetched again with the page itself, so the server alone renders. */
export async function refreshLive() {
  const sections = document.querySelectorAll("[data-live]");
  if (sections.length === 0) {
    return;
  }
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!answer.ok) {
    return;
  }
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const section of sections) {
    const found = fresh.getElementById(section.id);
    // what a person opened stays open
    for (const details of found?.querySelectorAll("details[id]") ?? []) {
      details.open = section.querySelector(`#${CSS.escape(details.id)}`)?.open ?? details.open;
    }
    const held = section.contains(document.activeElement) ? document.activeElement : null;
    const opened = held?.matches("details[id] > summary") ? held.parentElement.id : null;
    if (found && (held === null || opened) && found.innerHTML !== section.innerHTML) {
      section.replaceChildren(...found.childNodes);
      document.getElementById(opened)?.querySelector("summary").focus({ preventScroll: true });
    }
    if (found) {
      section.dataset.live = found.dataset.live;
    }
  }
}

function tick() {
  const sections = [...document.querySelectorAll("[data-live]")];
  if (sections.length === 0) {
    return;
  }
  const seconds = Math.min(...sections.map((section) => Number(section.dataset.live)));
  setTimeout(async () => {
    if (!document.hidden) {
      await refreshLive().catch(() => {});
    }
    tick();
  }, seconds * 1000);
}
tick();

document.querySelector(".skip").addEventListener("click", () => {
  document.getElementById("main").focus();
});
