/* The pages of entities: merge two, undo a merge, decide on pairs with the keyboard. */
import { errorLine, errorWords, once } from "./dom.js";
import { refreshLive } from "./page.js";
import { call } from "./rest.js";

const address = (corpus, rest) => `/corpora/${encodeURIComponent(corpus)}/${rest}`;

function say(place, text, failed = false) {
  place.classList.toggle("error-text", failed);
  place.classList.toggle("soft", !failed);
  place.replaceChildren(text);
}

/* two of a search's results */
const chosen = document.getElementById("merge-form");
if (chosen) {
  const button = chosen.querySelector("[type=submit]");
  const ticked = () => [...(chosen?.querySelectorAll("[name=entity]:checked") ?? [])];
  chosen.addEventListener("change", () => {
    button.disabled = ticked().length !== 2;
  });
  button.disabled = ticked().length !== 2;
  chosen.addEventListener("submit", (event) => {
    event.preventDefault();
    once(button, () => merge(chosen.dataset.corpus, ...ticked().map((box) => box.value)));
  });
}

/* an entity with one that is named */
const named = document.getElementById("merge-with");
named?.addEventListener("submit", (event) => {
  event.preventDefault();
  const other = document.getElementById("other").value;
  once(event.submitter, () => merge(named.dataset.corpus, named.dataset.entity, other));
});

async function merge(corpus, a, b) {
  const said = document.getElementById("merge-said");
  try {
    const merged = await call(address(corpus, "merges"), { method: "POST", body: { a, b } });
    const path = `/entities/${encodeURIComponent(merged.a.id)}?corpus=${encodeURIComponent(corpus)}`;
    location.assign(path);
  } catch (error) {
    say(said, errorWords(error), true);
  }
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-undo-merge]");
  if (!button) {
    return;
  }
  button.disabled = true;
  const path = address(button.dataset.corpus, `merges/${encodeURIComponent(button.dataset.undoMerge)}`);
  try {
    await call(path, { method: "DELETE" });
  } catch (error) {
    button.disabled = false;
    button.closest("li").append(errorLine(error));
    return;
  }
  button.blur();
  await refreshLive();
  document.getElementById("main").focus();
});

/* the queue: one pair is the current one; letters decide on it while the queue has the focus */
const queue = document.getElementById("reviews");
const said = document.getElementById("review-said");
let busy = false;

const pairs = () => [...queue.querySelectorAll(".review")];
const current = () => queue.querySelector(".review[aria-current]") ?? pairs()[0];

function choose(pair) {
  for (const other of pairs()) {
    other.removeAttribute("aria-current");
  }
  pair?.setAttribute("aria-current", "true");
  pair?.focus();
}

async function decide(pair, verdict) {
  if (busy || !pair) {
    return;
  }
  busy = true;
  const names = pair.getAttribute("aria-label");
  const path = address(queue.dataset.corpus, `reviews/${encodeURIComponent(pair.dataset.review)}`);
  try {
    await call(path, { method: "POST", body: { verdict } });
    const next = pair.nextElementSibling ?? pair.previousElementSibling;
    pair.remove();
    const waiting = document.getElementById("waiting");
    waiting.textContent = Number(waiting.textContent.replace(/\D/g, "")) - 1;
    say(said, verdict === "same" ? `Merged: ${names}. It can be undone under Merges.` : `Kept apart: ${names}.`);
    if (next) {
      choose(next);
    } else {
      location.reload();
    }
  } catch (error) {
    say(said, errorWords(error), true);
  } finally {
    busy = false;
  }
}

if (queue) {
  queue.addEventListener("click", (event) => {
    const button = event.target.closest("[data-verdict]");
    if (button) {
      decide(button.closest(".review"), button.dataset.verdict);
    }
  });
  queue.addEventListener("focusin", (event) => {
    const pair = event.target.closest(".review");
    if (pair && pair !== queue.querySelector("[aria-current]")) {
      pairs().forEach((other) => other.removeAttribute("aria-current"));
      pair.setAttribute("aria-current", "true");
    }
  });
  document.getElementById("by-keyboard").addEventListener("click", () => choose(current()));
  queue.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) {
      return;
    }
    const keys = {
      a: () => decide(current(), "same"),
      r: () => decide(current(), "different"),
      n: () => choose(current()?.nextElementSibling ?? current()),
      p: () => choose(current()?.previousElementSibling ?? current()),
    };
    if (Object.hasOwn(keys, event.key.toLowerCase())) {
      event.preventDefault();
      keys[event.key.toLowerCase()]();
    }
  });
  pairs()[0].setAttribute("aria-current", "true");
}
