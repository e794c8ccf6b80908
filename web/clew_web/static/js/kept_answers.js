/* What was answered in this tab, by caller and address: going back shows it again without asking, and
   paying, anew. The Ask button asks anew. Only the last few are kept, as far as the browser has room,
   and none once somebody has to log in. */

const ANYONE = "clew-answer:";
const PREFIX = `${ANYONE}${document.body.dataset.caller}:`;
const KEPT = 16;
const KINDS = new Set(["trace", "card", "round", "evidence", "answer"]);

const keys = (prefix = PREFIX) => Object.keys(sessionStorage).filter((key) => key.startsWith(prefix));
const at = (key) => JSON.parse(sessionStorage.getItem(key)).at;

/* Forgets the answers, whoever asked. */
export function forgetAnswers() {
  keys(ANYONE).forEach((key) => sessionStorage.removeItem(key));
}

/* Keeps the events of the answer that this address asks for; ``part``: of which of several;
   ``turns``: what was asked before it; ``asked``: its question as it was typed. */
export function keep(events, part = "", turns = [], asked = "") {
  const kept = events.filter(({ event }) => KINDS.has(event));
  const key = PREFIX + location.search + part;
  sessionStorage.removeItem(key);
  const oldest = keys().sort((a, b) => at(a) - at(b));
  while (oldest.length >= KEPT) {
    sessionStorage.removeItem(oldest.shift());
  }
  const text = JSON.stringify({ at: Date.now(), events: kept, turns, asked });
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

/* Returns what was asked before the answer that this address asked for in this tab, and how that
   was asked itself. */
export function keptTurns() {
  const text = sessionStorage.getItem(PREFIX + location.search);
  const { turns = [], asked = "" } = text === null ? {} : JSON.parse(text);
  return { turns, asked };
}

/* Returns what was asked in this tab, newest first: {question, answer, search}. */
export function askedInThisTab() {
  return keys()
    .sort((a, b) => at(b) - at(a))
    .map((key) => ({ key, last: JSON.parse(sessionStorage.getItem(key)).events.at(-1) }))
    .filter(({ key, last }) => last?.event === "answer" && key.startsWith(`${PREFIX}?`) && !key.includes("&beside="))
    .map(({ key, last }) => ({ ...turnOf(last.data), search: key.slice(PREFIX.length) }));
}

/* An answer as what was asked before another question. */
export function turnOf(answer) {
  return { question: answer.question, answer: answer.supported ? answer.short || answer.text : "" };
}

/* Returns the events of the answer that this address asked for in this tab, null where none is. */
export function keptAnswer(part = "") {
  const text = sessionStorage.getItem(PREFIX + location.search + part);
  return text === null ? null : JSON.parse(text).events;
}
