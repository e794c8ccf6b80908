/* The thread: the subgraph an answer rests on, drawn and as a list, growing where it is clicked. */
import { errorWords, make } from "./dom.js";
import { isEmpty } from "./evidence.js";
import { describeEdge, describeNode, legend, listItem } from "./graph_words.js";
import { LAYOUTS } from "./graph_layouts.js";
import { GraphStages } from "./graph_stages.js";
import { GraphView } from "./graph_view.js";
import { Neo4jLinks } from "./neo4j_links.js";
import { call } from "./rest.js";
import { captions, drawnCards } from "./subgraph_card.js";

const SUBGRAPH_NODES = 40;
const NEIGHBOURS = 16;

const place = document.getElementById("graph");
const tools = document.getElementById("graph-tools");

function toolButton(label, text, act) {
  return make("button", { class: "button button-small", type: "button", "aria-label": label, title: label, onclick: act }, text);
}

function pathsLeftOut(evidence) {
  const count = evidence.paths_left_out;
  return count > 0 ? `${count === 1 ? "1 more path is" : `${count} more paths are`} not drawn. ` : "";
}

function passageNodes(evidence) {
  return evidence.chunks.map((chunk) => ({ id: chunk.id, kind: "chunk", label: chunk.title, document_id: chunk.document_id, text: chunk.text }));
}

/* What is asked of the graph: the surroundings of the passages and of the question's names. */
function around(evidence, seeds) {
  const parameters = new URLSearchParams({ corpus: evidence.corpus, limit: SUBGRAPH_NODES });
  evidence.chunks.slice(0, 20).forEach((chunk) => parameters.append("chunk_ids", chunk.id));
  seeds.slice(0, 20).forEach((seed) => parameters.append("entity_ids", seed.id));
  return parameters;
}

export class AnswerGraph {
  constructor() {
    this.layouts = make("select", { class: "input input-small", "aria-label": "Layout", onchange: () => this.view.arrange(this.layouts.value) });
    this.nothing = make("p", { class: "soft" });
    this.captions = make("div", { class: "stack-small", hidden: true });
    this.drawing = make("div", {});
    this.stages = new GraphStages((...stage) => this.view.upTo(...stage));
    this.message = make("p", { class: "graph-message", role: "status", hidden: true });
    this.legend = make("ul", { class: "plain legend", "aria-label": "Legend" });
    this.detail = make("div", { class: "graph-detail", hidden: true, "aria-live": "polite" });
    this.items = make("ul", {});
    this.list = make("details", { class: "graph-as-list" }, make("summary", {}, "The same as a list"), make("div", { class: "graph-list" }, this.items));
    this.parts = make("div", { class: "graph-parts", hidden: true }, this.captions, this.drawing, this.stages.element, this.message, this.legend, this.detail, this.list);
    place.replaceChildren(this.nothing, this.parts);
    this.view = new GraphView(this.drawing, (id) => this.open(id));
    this.explore = make("a", { class: "button button-small", href: "/graph" }, "Explore");
    this.links = new Neo4jLinks();
    tools.replaceChildren(
      this.layouts,
      toolButton("Zoom in", "+", () => this.view.zoom(1.3)),
      toolButton("Zoom out", "−", () => this.view.zoom(1 / 1.3)),
      toolButton("Fit everything", "Fit", () => this.view.fit()),
      this.explore,
      this.links.bloom,
      this.links.browser,
    );
  }

  clear() {
    this.evidence = null;
    this.cards = [];
    this.expanded = new Set();
    this.view.clear();
    this.detail.hidden = true;
    this.say("");
    this.leave("Drawn as soon as there is evidence.");
  }

  /* Draws cards of the kind subgraph that came before the evidence. */
  showEarly(cards) {
    this.cards = cards;
    const { nodes, edges, stages } = drawnCards(cards);
    if (nodes.length > 0) {
      this.begin(stages);
      this.grow(nodes, edges);
      this.stages.update(stages);
    }
  }

  async show(evidence) {
    this.evidence = evidence;
    this.cards = evidence.explanation.filter((card) => card.kind === "subgraph");
    const { nodes, edges, stages } = drawnCards(this.cards);
    if (evidence.chunks.length === 0 && nodes.length === 0) {
      this.leave(isEmpty(evidence) ? "No evidence, so no thread." : "The evidence is triples alone, which are not drawn.");
      return;
    }
    // what the strategy says led there is the thread; only where it says nothing are the paths
    const onPath = nodes.length === 0;
    for (const path of evidence.paths) {
      nodes.push(...path.nodes.map((node) => ({ ...node, onPath })));
      edges.push(...path.edges.map((edge) => ({ ...edge, onPath })));
    }
    const drawn = new Set(nodes.map((node) => node.id));
    // what only a model named, and what leads to no passage of the evidence, would crowd the rest out
    const seeds = evidence.seeds.filter((seed) => seed.match !== "decoded" || drawn.has(seed.id));
    const first = stages.length > 0 ? 0 : null;
    nodes.push(...seeds.map((seed) => ({ id: seed.id, kind: "entity", label: seed.name, stage: seed.match === "decoded" ? null : first })));
    nodes.push(...passageNodes(evidence));
    this.view.keep(new Set(nodes.map((node) => node.id)));
    this.begin(stages);
    this.view.beginAt(seeds.filter((seed) => seed.match !== "decoded").map((seed) => seed.id));
    this.grow(nodes, edges);
    this.stages.update(stages);
    this.explore.href = `/graph?${around(evidence, seeds)}`;
    this.lead();
    await this.load(around(evidence, seeds), evidence);
  }

  /* Draws the passages that the reader found for parts of the question beside what is drawn. */
  async join(evidence) {
    this.evidence = evidence;
    this.lead();
    this.grow(passageNodes(evidence), []);
    this.stages.again();
    await this.load(around(evidence, evidence.seeds.filter((seed) => this.view.find(seed.id).nonempty())), evidence);
  }

  /* Lets the links to other tools lead to what supports the answer. */
  lead() {
    const { chunks, seeds } = this.evidence;
    this.links.lead(chunks.length > 0 ? null : seeds[0]?.name, chunks.map((chunk) => chunk.id));
  }

  /* Shows the drawing, with what fits the number of stages. */
  begin(stages) {
    this.view.stageNames = stages;
    const names = Object.keys(LAYOUTS).filter((name) => name !== "stages" || stages.length > 1);
    this.layouts.replaceChildren(...names.map((name) => make("option", { value: name, selected: name === this.view.layout }, LAYOUTS[name].label)));
    if (!names.includes(this.view.layout)) {
      this.view.layout = names[0];
    }
    this.captions.replaceChildren(...captions(this.cards));
    this.captions.hidden = this.captions.childElementCount === 0;
    this.nothing.hidden = true;
    this.parts.hidden = false;
    tools.hidden = false;
  }

  /* Says why nothing is drawn. */
  leave(words) {
    this.nothing.textContent = words;
    this.nothing.hidden = false;
    this.parts.hidden = true;
    tools.hidden = true;
  }

  cite(citations) {
    this.view.cite(citations.map((citation) => citation.chunk_id));
  }

  /* Brings out these nodes, and the entities of these names; null: everything is as it was. */
  light(ids, names = []) {
    this.view.light(ids && [...ids, ...this.view.named(names)]);
  }

  bringIntoView() {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    place.scrollIntoView({ behavior: still ? "auto" : "smooth", block: "center" });
  }

  /* Returns whether what was asked for is drawn. */
  async load(parameters, evidence) {
    if (!["entity_id", "chunk_ids", "entity_ids"].some((name) => parameters.has(name))) {
      this.say(pathsLeftOut(evidence)); // triples alone: they are drawn already
      return true;
    }
    this.say("Loading the graph…");
    try {
      const graph = await call(`/graph?${parameters}`);
      if (this.evidence === evidence) {
        this.grow(graph.nodes, graph.edges);
        this.stages.again();
        this.say(`${pathsLeftOut(evidence)}${graph.truncated ? "There is more; click a node to see its surroundings." : ""}`);
        return true;
      }
    } catch (error) {
      if (this.evidence === evidence) {
        this.say(errorWords(error));
      }
    }
    return false;
  }

  say(words) {
    this.message.textContent = words;
    this.message.hidden = words === "";
  }

  grow(nodes, edges) {
    this.view.add(nodes, edges);
    this.legend.replaceChildren(...legend(this.view, "Path of the evidence, strong where it is cited"));
    const shown = this.view.nodes().sort((a, b) => b.hasClass("on-path") - a.hasClass("on-path") || a.data("label").localeCompare(b.data("label")));
    this.items.replaceChildren(...shown.map((node) => listItem(this.view, node, () => this.open(node.id(), true))));
  }

  /* A node or an edge was chosen: shows it, and draws a node's surroundings the first time. */
  async open(id, focus = false) {
    this.view.mark(id);
    this.describe(id);
    if (focus) {
      this.detail.setAttribute("tabindex", "-1");
      this.detail.focus();
    }
    const node = this.view.find(id);
    const evidence = this.evidence;
    const kind = { entity: "entity_id", chunk: "chunk_ids" }[node.data("kind")];
    if (node.isEdge() || evidence === null || this.expanded.has(id) || kind === undefined) {
      return;
    }
    const { expanded } = this;
    expanded.add(id);
    const parameters = new URLSearchParams({ corpus: evidence.corpus, limit: NEIGHBOURS });
    parameters.append(kind, id);
    if (!(await this.load(parameters, evidence))) {
      expanded.delete(id); // it can be tried again
    }
    // meanwhile another question may have been asked, or another node chosen
    if (this.evidence === evidence && this.view.chosen === id) {
      this.view.mark(id);
      this.describe(id);
    }
  }

  describe(id) {
    const element = this.view.find(id);
    const parts = element.isEdge() ? describeEdge(this.view, element) : describeNode(this.view, element, this.evidence?.corpus);
    this.detail.hidden = false;
    this.detail.replaceChildren(...parts);
  }
}
