/* What every page does: the theme toggle, live sections, and forms that submit on a change. */
import { make, once } from "./dom.js";

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

for (const here of document.querySelectorAll(".nav [aria-current]")) {
  here.scrollIntoView({ block: "nearest", inline: "nearest" });
}

/* Heard by the document: a section that is rendered anew brings new fields. */
document.addEventListener("change", (event) => {
  if (event.target.matches("[data-submit-on-change]")) {
    event.target.form.requestSubmit();
  }
});

/* A form is sent once: pressed again before the next page is shown, it would all be done twice. */
document.addEventListener("submit", (event) => {
  const button = event.submitter;
  // the attribute: a field that is called "method" hides the form's property
  const method = event.target.getAttribute("method")?.toLowerCase();
  if (method !== "post" || event.defaultPrevented || button === null) {
    return;
  }
  if (button.ariaDisabled === "true") {
    event.preventDefault();
  }
  once(button, () => new Promise((resolve) => window.addEventListener("pageshow", resolve, { once: true })));
});

const DAY = { day: "2-digit", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
const MINUTE = new Intl.DateTimeFormat("en-GB", DAY);
const SECOND = new Intl.DateTimeFormat("en-GB", { ...DAY, second: "2-digit" });

/* Points in time are the server's, with its zone, until they are shown here in the reader's own. */
function showOwnTimes(page) {
  for (const time of page.querySelectorAll("time:not([data-zone])")) {
    time.title = time.textContent;
    time.textContent = ("seconds" in time.dataset ? SECOND : MINUTE).format(new Date(time.dateTime));
  }
}
showOwnTimes(document);

const main = document.getElementById("main");
const stale = document.getElementById("stale");
let refreshed = new Date();

/* Returns the page as the server has it now; null where it cannot be had, and says why. */
async function freshPage() {
  try {
    const answer = await fetch(main.dataset.address ?? location.href, { headers: { Accept: "text/html" } });
    if (answer.redirected && new URL(answer.url).pathname === "/login") {
      sayStale("You are logged out. ", make("a", { href: answer.url }, "Log in again"));
    } else if (!answer.ok) {
      sayStale(`The server answered with status ${answer.status}.`);
    } else {
      const text = await answer.text();
      refreshed = new Date();
      stale.hidden = true;
      stale.replaceChildren();
      const page = new DOMParser().parseFromString(text, "text/html");
      showOwnTimes(page);
      return page;
    }
  } catch {
    sayStale("The server cannot be reached.");
  }
  return null;
}

function sayStale(...why) {
  const since = `Not refreshed since ${refreshed.toLocaleTimeString()}. `;
  const said = make("span", {}, since, ...why);
  // what is said again would be read out again
  if (stale.textContent !== said.textContent) {
    stale.replaceChildren(said);
  }
  stale.hidden = false;
}

/* Where what has the focus is found again in its section's next rendering; null where it may not be
   taken away. Tick boxes are ticked again by who keeps their choice. */
function findAgain(held) {
  if (held.matches("details[id] > summary")) {
    return `#${CSS.escape(held.parentElement.id)} > summary`;
  }
  return held.matches("[type=checkbox][id]") ? `#${CSS.escape(held.id)}` : null;
}

/* Sections marked data-live are fetched again with the page itself, so the server alone renders. */
export async function refreshLive() {
  const sections = document.querySelectorAll("[data-live]");
  const fresh = sections.length === 0 ? null : await freshPage();
  if (fresh === null) {
    return;
  }
  for (const section of sections) {
    const found = fresh.getElementById(section.id);
    // what a person opened stays open
    for (const details of found?.querySelectorAll("details[id]") ?? []) {
      details.open = section.querySelector(`#${CSS.escape(details.id)}`)?.open ?? details.open;
    }
    const held = section.contains(document.activeElement) ? document.activeElement : null;
    const again = held && findAgain(held);
    if (found && (held === null || again) && found.innerHTML !== section.innerHTML) {
      section.replaceChildren(...found.childNodes);
      (again && section.querySelector(again))?.focus({ preventScroll: true });
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
      await refreshLive();
    }
    tick();
  }, seconds * 1000);
}
tick();

document.querySelector(".skip").addEventListener("click", () => {
  main.focus();
});
