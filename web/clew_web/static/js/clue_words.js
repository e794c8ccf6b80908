/* How a clue is put into words: its likelihood, its role, its piece of a sentence. */
import { make } from "./dom.js";

const BEFORE = "(?<![\\p{L}\\p{N}_])";
const AFTER = "(?![\\p{L}\\p{N}_])";
const LEAST = 0.0001;

export const ROLES = {
  forward: { arrow: "→", word: "sentences about it", long: "The name is the subject of these sentences, or the title of their document." },
  reverse: { arrow: "←", word: "sentences that mention it", long: "The name is in these sentences, but they are about something else." },
};

/* A log-probability, with its share in per cent where that is not tiny. */
export function likelihood(score) {
  const probability = Math.exp(score);
  const words = `score ${score.toFixed(1).replace("-", "−")}`;
  if (probability < LEAST) {
    return words;
  }
  return `${words} · ${probability >= 0.1 ? Math.round(100 * probability) : (100 * probability).toPrecision(2)} %`;
}

export function origin(clue) {
  if (clue.after !== null) {
    return `from clue ${clue.after + 1}`;
  }
  return clue.named ? "named in the question" : "written by the model";
}

/* A mask at an end says nothing; one inside stands for a name. */
function trimmed(relation) {
  return relation.replace(/^[#\s]+|[#\s]+$/g, "");
}

/* The relation, its masks as small gaps. */
export function relationParts(relation) {
  const pieces = trimmed(relation).split("##");
  return pieces.flatMap((piece, index) => (index === 0 ? [piece] : [make("span", { class: "gap", title: "Another name" }, "…"), piece]));
}

function escaped(word) {
  return word.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}

/* Text with the names that stand in it made bold. */
function withNames(text, names) {
  const known = names.filter(Boolean).map(escaped);
  if (known.length === 0) {
    return [text];
  }
  const parts = text.split(new RegExp(`${BEFORE}(${known.join("|")})${AFTER}`, "iu"));
  return parts.map((part, index) => (index % 2 === 1 ? make("strong", { class: "clue-name" }, part) : part));
}

/* A sentence with the clue's piece marked and its names bold. Places count characters, not units. */
export function sentenceParts(clue, sentence) {
  const names = [clue.entity, clue.tail];
  if (sentence.start === null) {
    return withNames(sentence.text, names);
  }
  const characters = [...sentence.text];
  const part = (from, to) => withNames(characters.slice(from, to).join(""), names);
  return [
    ...part(0, sentence.start),
    make("mark", {}, ...part(sentence.start, sentence.end)),
    ...part(sentence.end),
  ];
}
