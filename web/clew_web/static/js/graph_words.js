/* The drawing in words: its legend, its list, and what is said of a chosen node or edge. */
import { make, makeSvg } from "./dom.js";
import { shortened } from "./graph_look.js";
import { kindOf } from "./kinds.js";

const MOST_TEXT = 360;
const MOST_NAME = 60;
const SHAPES = {
  entity: ["Entity", "circle", { cx: 10, cy: 8, r: 6 }],
  chunk: ["Chunk", "rect", { x: 3, y: 1, width: 14, height: 14, rx: 3 }],
  document: ["Document", "rect", { x: 4, y: 0, width: 12, height: 16, rx: 1 }],
  sentence: ["Sentence", "rect", { x: 1, y: 5, width: 18, height: 7, rx: 2 }],
};

function entry(shape, words) {
  return make("li", {}, makeSvg("svg", { viewBox: "0 0 20 16", "aria-hidden": "true" }, shape), words);
}

/* An entry for each kind of node that is drawn, and one for the path where there is one. */
export function legend(view, pathWords) {
  const kinds = Object.keys(SHAPES).filter((kind) => view.nodes().some((node) => node.data("kind") === kind));
  const hasPath = view.nodes().some((node) => node.hasClass("on-path"));
  const path = makeSvg("g", { class: "path" }, makeSvg("line", { x1: 0, y1: 8, x2: 20, y2: 8 }), makeSvg("circle", { cx: 10, cy: 8, r: 5 }));
  return [
    ...kinds.map((kind) => {
      const [words, tag, place] = SHAPES[kind];
      return entry(makeSvg(tag, { class: kind, ...place }), words);
    }),
    ...(hasPath ? [entry(path, pathWords)] : []),
  ];
}

function name(node) {
  return shortened(node.data("label"), MOST_NAME);
}

export function listItem(view, node, open) {
  const names = view.neighbours(node.id()).map((found) => name(found.node));
  const onPath = node.hasClass("on-path") ? ", on the path" : "";
  return make(
    "li",
    {},
    make("button", { type: "button", onclick: open }, name(node)),
    ` ${node.data("kind")}${onPath}${view.stageWords(node)}: `,
    names.slice(0, 8).join(", ") || "no neighbours drawn",
  );
}

export function describeNode(view, node, corpus) {
  const { id, label, kind, type, text, document_id: documentId } = node.data();
  const neighbours = view.neighbours(id);
  const names = neighbours.map((found) => name(found.node));
  const badge = make("span", { class: "badge" }, `${type ? kindOf(type) : kind}${view.stageWords(node)}`);
  const parts = [make("div", { class: "spread" }, kind === "sentence" ? make("q", { class: "small", dir: "auto" }, label) : make("strong", { dir: "auto" }, label), badge)];
  if (text) {
    parts.push(make("p", { class: "small", dir: "auto" }, shortened(text, MOST_TEXT)));
  }
  const told = kind === "sentence" ? [] : neighbours.filter((found) => found.edge.data("text"));
  for (const { node: other, edge } of told.slice(0, 3)) {
    // what a sentence says is said once, though the edge to it bears it, too
    const about = other.data("kind") === "sentence" ? null : make("strong", {}, `${name(other)}: `);
    parts.push(make("p", { class: "small", dir: "auto" }, about, `“${edge.data("text")}”`));
  }
  parts.push(make("p", { class: "small soft" }, `${names.length} neighbour${names.length === 1 ? "" : "s"} drawn: ${names.slice(0, 10).join(", ")}${names.length > 10 ? " …" : ""}`));
  if (kind === "entity" && corpus) {
    parts.push(make("a", { class: "small", href: `/entities/${encodeURIComponent(id)}?corpus=${encodeURIComponent(corpus)}` }, "All that is said of it"));
  }
  if (documentId && corpus) {
    const address = `/documents/${encodeURIComponent(documentId)}?corpus=${encodeURIComponent(corpus)}${kind === "chunk" ? `#${encodeURIComponent(id)}` : ""}`;
    parts.push(make("a", { class: "small", href: address }, "Open the document"));
  }
  return parts;
}

export function describeEdge(view, edge) {
  const [from, to] = [edge.source(), edge.target()].map(name);
  return [
    make("div", { class: "spread" }, make("strong", {}, `${from} → ${to}`), make("span", { class: "badge" }, `${edge.data("kind")}${view.stageWords(edge)}`)),
    edge.data("text") ? make("p", { class: "small", dir: "auto" }, `“${edge.data("text")}”`) : make("p", { class: "small soft" }, "No text is stored with it."),
  ];
}
