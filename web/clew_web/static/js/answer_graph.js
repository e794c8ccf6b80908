/* The thread: the subgraph an answer rests on, drawn and as a list, growing where it is clicked. */
import { make, makeSvg } from "./dom.js";
import { GraphView } from "./graph_view.js";
import { call } from "./rest.js";

const SUBGRAPH_NODES = 40;
const NEIGHBOURS = 16;

const place = document.getElementById("graph");
const tools = document.getElementById("graph-tools");

function toolButton(label, text, act) {
  return make("button", { class: "button button-small", type: "button", "aria-label": label, title: label, onclick: act }, text);
}

function legend() {
  const entity = makeSvg("svg", { viewBox: "0 0 20 16", "aria-hidden": "true", class: "node entity" }, makeSvg("circle", { class: "shape", cx: 10, cy: 8, r: 6 }));
  const chunk = makeSvg("svg", { viewBox: "0 0 20 16", "aria-hidden": "true", class: "node chunk" }, makeSvg("rect", { class: "shape", x: 3, y: 1, width: 14, height: 14, rx: 3 }));
  const path = makeSvg("svg", { viewBox: "0 0 20 16", "aria-hidden": "true" }, makeSvg("line", { class: "edge on-path", x1: 1, y1: 8, x2: 19, y2: 8 }));
  return make(
    "ul",
    { class: "plain legend graph-legend", "aria-label": "Legend" },
    make("li", {}, entity, "Entity"),
    make("li", {}, chunk, "Chunk"),
    make("li", {}, path, "Path of the evidence, strong where it is cited"),
  );
}

/* From a clue's entity to each passage of the evidence that the clue led to. */
function clueEdges(evidence) {
  const found = new Set(evidence.chunks.map((chunk) => chunk.id));
  return evidence.clues.flatMap((clue) =>
    clue.chunk_ids
      .filter((id) => found.has(id))
      .map((id) => ({
        source: clue.entity_id,
        target: id,
        onPath: true,
        text: clue.sentences.find((sentence) => sentence.chunk_id === id)?.text ?? "",
      })),
  );
}

function pathsLeftOut(evidence) {
  const count = evidence.paths_left_out;
  return count > 0 ? `${count === 1 ? "1 more path is" : `${count} more paths are`} not drawn. ` : "";
}

export class AnswerGraph {
  constructor(corpusField) {
    this.corpusField = corpusField;
    this.view = new GraphView((id) => this.open(id));
    this.message = make("p", { class: "graph-message", role: "status", hidden: true });
    this.detail = make("div", { class: "graph-detail", hidden: true, "aria-live": "polite" });
    this.items = make("ul", {});
    this.list = make("details", { class: "graph-as-list" }, make("summary", {}, "The same as a list"), make("div", { class: "graph-list" }, this.items));
    this.parts = make("div", { class: "graph-parts" }, this.view.element, this.message, legend(), this.detail, this.list);
    tools.replaceChildren(
      toolButton("Zoom in", "+", () => this.view.zoom(1 / 1.3)),
      toolButton("Zoom out", "−", () => this.view.zoom(1.3)),
      toolButton("Show everything", "Fit", () => this.view.fit()),
    );
  }

  clear() {
    this.evidence = null;
    this.expanded = new Set();
    this.view.clear();
    this.detail.hidden = true;
    tools.hidden = true;
    place.replaceChildren(make("p", { class: "soft" }, "Drawn as soon as there is evidence."));
  }

  async show(evidence) {
    this.evidence = evidence;
    if (evidence.chunks.length === 0) {
      place.replaceChildren(make("p", { class: "soft" }, "No evidence, so no thread."));
      return;
    }
    tools.hidden = false;
    place.replaceChildren(this.parts);
    const nodes = evidence.paths.flatMap((path) => path.nodes.map((node) => ({ ...node, onPath: true })));
    const edges = evidence.paths.flatMap((path) => path.edges.map((edge) => ({ ...edge, onPath: true })));
    const traced = clueEdges(evidence);
    const onPath = new Set(traced.flatMap((edge) => [edge.source, edge.target]));
    const drawn = new Set([...onPath, ...nodes.map((node) => node.id)]);
    // what only the model named, and what leads to no passage of the evidence, would crowd the rest out
    const seeds = evidence.seeds.filter((seed) => seed.match !== "decoded" || drawn.has(seed.id));
    const clues = evidence.clues.filter((clue) => drawn.has(clue.entity_id));
    nodes.push(...clues.map((clue) => ({ id: clue.entity_id, kind: "entity", label: clue.entity, onPath: onPath.has(clue.entity_id) })));
    nodes.push(...seeds.map((seed) => ({ id: seed.id, kind: "entity", label: seed.name })));
    nodes.push(...evidence.chunks.map((chunk) => ({ id: chunk.id, kind: "chunk", label: chunk.title, document_id: chunk.document_id, text: chunk.text, onPath: onPath.has(chunk.id) })));
    this.grow(nodes, [...edges, ...traced]);
    const parameters = new URLSearchParams({ corpus: evidence.corpus, limit: SUBGRAPH_NODES });
    evidence.chunks.slice(0, 20).forEach((chunk) => parameters.append("chunk_ids", chunk.id));
    seeds.slice(0, 20).forEach((seed) => parameters.append("entity_ids", seed.id));
    await this.load(parameters, evidence);
  }

  cite(citations) {
    this.view.cite(citations.map((citation) => citation.chunk_id));
  }

  /* Brings out what a clue is about; null: everything is as it was. */
  light(ids) {
    this.view.light(ids);
  }

  bringIntoView() {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    place.scrollIntoView({ behavior: still ? "auto" : "smooth", block: "center" });
  }

  async load(parameters, evidence) {
    this.say("Loading the graph…");
    try {
      const graph = await call(`/graph?${parameters}`);
      if (this.evidence === evidence) {
        this.grow(graph.nodes, graph.edges);
        this.say(`${pathsLeftOut(evidence)}${graph.truncated ? "There is more; click a node to see its surroundings." : ""}`);
      }
    } catch (error) {
      if (this.evidence === evidence) {
        this.say(`${error.message} ${error.remedy ?? ""}`);
      }
    }
  }

  say(words) {
    this.message.textContent = words;
    this.message.hidden = words === "";
  }

  grow(nodes, edges) {
    this.view.add(nodes, edges);
    const shown = [...this.view.nodes.values()].sort((a, b) => Number(b.onPath) - Number(a.onPath) || a.label.localeCompare(b.label));
    this.items.replaceChildren(
      ...shown.map((node) =>
        make(
          "li",
          {},
          make("button", { type: "button", onclick: () => this.open(node.id, true) }, node.label),
          ` ${node.kind}${node.onPath ? ", on the path" : ""}: `,
          this.view.neighbours(node.id).map((found) => found.node.label).slice(0, 8).join(", ") || "no neighbours drawn",
        ),
      ),
    );
  }

  /* A node was chosen: shows it, and draws its surroundings the first time. */
  async open(id, focus = false) {
    this.view.mark(id);
    this.describe(id);
    if (focus) {
      this.detail.setAttribute("tabindex", "-1");
      this.detail.focus();
    }
    if (this.expanded.has(id)) {
      return;
    }
    this.expanded.add(id);
    const evidence = this.evidence;
    const node = this.view.nodes.get(id);
    const parameters = new URLSearchParams({ corpus: evidence.corpus, limit: NEIGHBOURS });
    parameters.append(node.kind === "entity" ? "entity_id" : "chunk_ids", id);
    await this.load(parameters, evidence);
    // meanwhile another question may have been asked, or another node chosen
    if (this.evidence === evidence && this.view.chosen === id) {
      this.view.mark(id);
      this.describe(id);
    }
  }

  describe(id) {
    const node = this.view.nodes.get(id);
    const neighbours = this.view.neighbours(id);
    const sentences = neighbours.filter((found) => found.edge.text);
    const parts = [
      make(
        "div",
        { class: "spread" },
        make("strong", {}, node.label),
        make("span", { class: "badge" }, node.kind === "chunk" ? "chunk" : (node.type || "entity").toLowerCase()),
      ),
    ];
    if (node.text) {
      parts.push(make("p", { class: "small" }, node.text.length > 360 ? `${node.text.slice(0, 360)}…` : node.text));
    }
    for (const { node: other, edge } of sentences.slice(0, 3)) {
      parts.push(make("p", { class: "small" }, make("strong", {}, `${other.label}: `), `“${edge.text}”`));
    }
    parts.push(make("p", { class: "small soft" }, `${neighbours.length} neighbours drawn: ${neighbours.slice(0, 10).map((found) => found.node.label).join(", ")}${neighbours.length > 10 ? " …" : ""}`));
    if (node.document_id) {
      const address = `/documents/${encodeURIComponent(node.document_id)}?corpus=${encodeURIComponent(this.evidence.corpus)}#${encodeURIComponent(node.id)}`;
      parts.push(make("a", { class: "small", href: address }, "Open the document"));
    }
    this.detail.hidden = false;
    this.detail.replaceChildren(...parts);
  }
}
