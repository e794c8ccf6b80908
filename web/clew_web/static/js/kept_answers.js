/* What was answered in this tab, by address: going back shows it again without asking, and paying,
   anew. The Ask button asks anew. Only the last few are kept, as far as the browser has room. */

const PREFIX = "clew-answer:";
const KEPT = 16;
const KINDS = new Set(["trace", "card", "round", "evidence", "answer"]);

const keys = () => Object.keys(sessionStorage).filter((key) => key.startsWith(PREFIX));
const at = (key) => JSON.parse(sessionStorage.getItem(key)).at;

/* Keeps the events of the answer that this address asks for; ``part``: of which of several. */
export function keep(events, part = "") {
  const kept = events.filter(({ event }) => KINDS.has(event));
  const key = PREFIX + location.search + part;
  sessionStorage.removeItem(key);
  const oldest = keys().sort((a, b) => at(a) - at(b));
  while (oldest.length >= KEPT) {
    sessionStorage.removeItem(oldest.shift());
  }
  const text = JSON.stringify({ at: Date.now(), events: kept });
  for (;;) {
    try {
      sessionStorage.setItem(key, text);
      return;
    } catch {
      if (oldest.length === 0) {
        return; // no room: going back asks again
      }
      sessionStorage.removeItem(oldest.shift());
    }
  }
}

/* Returns the events of the answer that this address asked for in this tab, null where none is. */
export function keptAnswer(part = "") {
  const text = sessionStorage.getItem(PREFIX + location.search + part);
  return text === null ? null : JSON.parse(text).events;
}
