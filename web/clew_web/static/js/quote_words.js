/* How a quote is put into words: as it was written, or by the parts of a triple, where ## stands for a
   name that is masked. */
import { make } from "./dom.js";

const MASK = "##";
const BEFORE = "(?<![\\p{L}\\p{N}_])";
const AFTER = "(?![\\p{L}\\p{N}_])";
const LEAST = 0.0001;
const LOG_PROBABILITY = "log-probability";

/* How a triple is read by its tags; `reverse` turns it round. */
const READINGS = {
  plain: { arrow: "→", words: "", long: "" },
  forward: { arrow: "→", words: "sentences about it", long: "The name is the subject of these sentences, or the title of their document." },
  reverse: { arrow: "←", words: "sentences that mention it", long: "The name is in these sentences, but they are about something else." },
};

/* How the quote's triple is read; null: it is no triple. */
export function reading(quote) {
  return quote.parts?.length ? READINGS[quote.tags.find((tag) => tag in READINGS) ?? "plain"] : null;
}

/* The tags that are not said by the reading. */
export function badges(quote) {
  return reading(quote) ? quote.tags.filter((tag) => !(tag in READINGS)) : quote.tags;
}

/* Names that may stand in the quote's sentences: the label, and the ends of its triple. */
export function names(quote) {
  const [head, , tail] = quote.parts ?? [];
  return [...new Set([quote.label, head, tail])].filter(Boolean);
}

/* A score with its name; of a log-probability also the share in per cent where that is not tiny. */
export function scoreWords({ score, score_name: name }) {
  if (name !== LOG_PROBABILITY) {
    return `${name || "score"} ${score.toPrecision(3)}`.replace("-", "−");
  }
  const probability = Math.exp(score);
  const words = `${name} ${score.toFixed(1).replace("-", "−")}`;
  if (probability < LEAST) {
    return words;
  }
  return `${words} · ${probability >= 0.1 ? Math.round(100 * probability) : (100 * probability).toPrecision(2)} %`;
}

export function scoreTitle({ score_name: name }) {
  return name === LOG_PROBABILITY
    ? "How likely the language model found this: the logarithm of its probability, nearer to 0 is likelier"
    : "Comparable within this list only";
}

/* How long the bar of a score is, between 0 and 1. */
export function scoreShare({ score, score_name: name }, best) {
  // of logarithms: probabilities differ by orders of magnitude
  const share = name === LOG_PROBABILITY ? (1 - best) / (1 - score) : best > 0 ? score / best : 0;
  return Math.min(1, Math.max(0.02, share));
}

/* A mask at an end says nothing; one inside stands for a name. */
function withGaps(text) {
  const pieces = text.replace(/^[#\s]+|[#\s]+$/g, "").split(MASK);
  return pieces.flatMap((piece, index) => (index === 0 ? [piece] : [make("span", { class: "gap", title: "Another name" }, "…"), piece]));
}

/* The quote's text: a triple's parts with arrows between them; else as it was written. */
export function textParts(quote) {
  const read = reading(quote);
  if (read === null) {
    return quote.label ? [make("strong", { class: "quote-name" }, quote.label), " ", quote.text] : [quote.text];
  }
  const arrow = () => make("span", { class: "quote-arrow", "aria-hidden": "true" }, ` ${read.arrow} `);
  const [head, middle, tail] = quote.parts;
  const words = [make("strong", { class: "quote-name" }, head), arrow(), make("span", {}, ...withGaps(middle))];
  return tail ? [...words, arrow(), make("strong", { class: "quote-name" }, tail)] : words;
}

function escaped(word) {
  return word.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}

/* Text with the names that stand in it made bold. */
function withNames(text, known) {
  if (known.length === 0) {
    return [text];
  }
  const parts = text.split(new RegExp(`${BEFORE}(${known.map(escaped).join("|")})${AFTER}`, "iu"));
  return parts.map((part, index) => (index % 2 === 1 ? make("strong", { class: "quote-name" }, part) : part));
}

/* A span's sentence with the piece marked that the quote stands on. Places count characters. */
export function spanParts(quote, span) {
  const known = names(quote);
  if (span.start === null || span.end === null) {
    return withNames(span.text, known);
  }
  const characters = [...span.text];
  const part = (from, to) => withNames(characters.slice(from, to).join(""), known);
  return [...part(0, span.start), make("mark", {}, ...part(span.start, span.end)), ...part(span.end)];
}
