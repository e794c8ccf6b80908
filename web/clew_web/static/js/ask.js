/* The Ask page: sends the question, shows what comes back as it comes. */
import { AnswerView } from "./answer.js";
import { follow } from "./answer_events.js";
import { AnswerGraph } from "./answer_graph.js";
import { askedDocuments, inAddress } from "./asked_documents.js";
import { Beside } from "./beside.js";
import { Cards } from "./cards.js";
import { EvidenceList } from "./evidence.js";
import { FollowUp } from "./follow_up.js";
import { keep, keptAnswer } from "./kept_answers.js";
import { stream } from "./rest.js";
import { Trace } from "./trace.js";

const form = document.getElementById("ask-form");
const question = document.getElementById("question");
const corpus = document.getElementById("corpus");
const strategy = document.getElementById("strategy");
const steps = document.getElementById("steps");
const askButton = document.getElementById("ask-button");
const stopButton = document.getElementById("stop-button");
const result = document.getElementById("result");

const at = (id) => document.getElementById(id);
const evidence = new EvidenceList({ list: at("evidence-list"), count: at("evidence-count"), notices: at("evidence-notices"), suggestions: at("suggestions") });
const answer = new AnswerView((citation) => evidence.open(citation), { card: at("answer-card"), body: at("answer-body"), state: at("answer-state") });
const beside = new Beside(at("beside"), at("beside-result"));
const graph = new AnswerGraph();
const cards = new Cards(graph, (passage) => evidence.open(passage));
const trace = new Trace();
const followUp = new FollowUp((text) => {
  question.value = text;
  ask(false, true);
});
let running = null;

/* As it is named everywhere: iterative:NAME where it is asked in several steps. */
function strategyName() {
  return `${steps.checked ? steps.value : ""}${strategy.value}`;
}

/* The default is left to the server: where a corpus has no text, it asks one for triples instead. */
function chosenStrategy(name = strategyName()) {
  return name === strategy.dataset.default ? {} : { strategy: name };
}

function showSummary() {
  document.getElementById("strategy-summary").textContent =
    strategy.selectedOptions[0]?.dataset.summary ?? "";
}

function setRunning(controller) {
  running = controller;
  askButton.hidden = controller !== null;
  stopButton.hidden = controller === null;
}

/* ``byItself``: the page asks what its address says, so that going back leads to the page before. */
function share(byItself) {
  const year = 365 * 24 * 3600;
  document.cookie = `clew_corpus=${encodeURIComponent(corpus.value)}; path=/; max-age=${year}; samesite=lax`;
  const address = new URL(location.href);
  const asked = new URLSearchParams({
    q: question.value.trim(),
    corpus: corpus.value,
    strategy: strategyName(),
    ...inAddress(),
  });
  beside.others(strategyName()).forEach((name) => asked.append("beside", name));
  address.search = asked.toString();
  if (address.href !== location.href) {
    history[byItself ? "replaceState" : "pushState"](null, "", address);
    shownSearch = address.search;
  }
  if (!byItself) {
    document.getElementById("address-notices")?.remove();
  }
  document.title = `${question.value.trim()} · Ask · Clew`;
}

/* Where nothing was found out, as for a question that is refused, only the answer's card is shown,
   which says why. */
function refused(alone) {
  for (const card of result.querySelectorAll(":scope > .stack > section, :scope > .stack + .stack")) {
    card.hidden = alone && card.id !== "answer-card";
  }
}

async function ask(byItself = false, further = false) {
  const text = question.value.trim();
  const limit = Number(question.dataset.limit);
  running?.abort();
  setRunning(null);
  const others = beside.others(strategyName());
  result.hidden = others.length > 0;
  beside.show(others.length > 0);
  document.getElementById("examples")?.removeAttribute("open");
  answer.start();
  evidence.clear();
  graph.clear();
  cards.clear();
  trace.clear();
  if (!further) {
    followUp.begin(byItself);
  }
  followUp.start();
  if (!text || new TextEncoder().encode(text).length > limit) {
    result.hidden = false;
    beside.show(false);
    refused(true);
    answer.fail({
      message: text ? "The question is too long." : "The question is empty.",
      remedy: text ? `At most ${limit} bytes are taken. Long texts belong into documents.` : "Ask in words.",
    });
    followUp.fail();
    return;
  }
  refused(false);
  share(byItself);
  const shown = others.length > 0 ? beside.result : result;
  if (shown.getBoundingClientRect().top > window.innerHeight / 2) {
    shown.scrollIntoView({ block: "start" }); // on a phone it begins below the fold
  }
  const controller = new AbortController();
  setRunning(controller);
  const body = { question: text, corpus: corpus.value, ...askedDocuments(), ...followUp.history() };
  const understood = (meant) => {
    if (further && meant !== text) {
      question.value = meant; // stands alone: so can its address
      share(true);
    }
  };
  if (others.length > 0) {
    const asked = [strategyName(), ...others].map((name) => ({ name, body: { ...body, ...chosenStrategy(name) } }));
    await beside.ask(asked, controller.signal, byItself, understood);
  } else {
    const kept = byItself ? keptAnswer() : null;
    at("kept-note").hidden = kept === null;
    await follow(kept ?? stream("/query/stream", { ...body, ...chosenStrategy() }, controller.signal), controller.signal, {
      progress: (data) => answer.say(`${data.text}…`),
      trace: (data) => {
        trace.add(data);
        answer.step(data);
      },
      card: (data) => cards.add(data),
      round: (data) => cards.addRound(data),
      evidence: (data) => {
        understood(data.question);
        followUp.understood(data.question);
        evidence.show(data);
        graph.show(data);
        cards.show(data);
        answer.say("Reading the evidence…");
      },
      piece: (data) => answer.add(data.text),
      answer: (data, heard) => {
        keep(heard, "", followUp.turns, followUp.asked);
        if (data.evidence.chunks.some(({ id }) => !evidence.passages.has(id))) {
          evidence.show(data.evidence); // what the reader found for parts of the question
          graph.join(data.evidence);
          cards.show(data.evidence);
        }
        answer.finish(data);
        evidence.cite(data.citations);
        graph.cite(data.citations);
        trace.finish(data);
        followUp.finish(data);
      },
      error: (error, heard) => {
        refused(!heard.some(({ event }) => event === "evidence"));
        answer.fail(error);
        followUp.fail();
      },
      stop: () => {
        if (running === controller) {
          answer.stop(); // by the button, not by another question
          followUp.fail();
        }
      },
    });
  }
  if (running === controller) {
    setRunning(null);
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  ask();
});
question.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    form.requestSubmit();
  }
});
stopButton.addEventListener("click", () => {
  running?.abort();
  askButton.hidden = false;
  askButton.focus();
});
strategy.addEventListener("change", showSummary);
for (const example of document.querySelectorAll("[data-question]")) {
  example.addEventListener("click", () => {
    question.value = example.dataset.question;
    corpus.value = example.closest("[data-corpus]").dataset.corpus;
    form.requestSubmit();
  });
}
let shownSearch = location.search;
window.addEventListener("popstate", () => {
  if (location.search !== shownSearch) {
    location.reload();
  }
});
window.addEventListener("pageshow", showSummary); // of what the browser has chosen again
if (question.value.trim()) {
  ask(true);
} else {
  question.focus();
}
