/* The graph explorer: finds names, draws and expands, filters, looks for paths, and exports. */
import { errorWords, make } from "./dom.js";
import { describeEdge, describeNode, legend, listItem } from "./graph_words.js";
import { LAYOUTS } from "./graph_layouts.js";
import { GraphView } from "./graph_view.js";
import { graphml, save } from "./graph_export.js";
import { kindOf } from "./kinds.js";
import { Neo4jLinks } from "./neo4j_links.js";
import { call } from "./rest.js";

const NODES = 40;
const SUGGESTIONS = 12;
const TYPING_MS = 200;
const NAMES_OF_ANSWERS = ["chunk_ids", "entity_ids"];

const at = (id) => document.getElementById(id);

class Explorer {
  constructor() {
    this.view = new GraphView(at("explore-drawing"), (id) => this.open(id));
    this.found = new Map(); // entities that were suggested, by name
    this.expanded = new Set();
    this.turn = 0;
    this.bar();
    at("explore-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.draw();
    });
    at("explore-form").addEventListener("reset", () => {
      this.clear("Nothing is drawn yet: type a name above.");
      setTimeout(() => this.share()); // once the form is as it was
    });
    at("corpus").addEventListener("change", () => {
      this.clear("Another corpus is chosen: type a name above.");
      this.share();
    });
    this.shown = location.search;
    window.addEventListener("popstate", () => {
      if (location.search !== this.shown) {
        location.reload();
      }
    });
    for (const id of ["from", "to"]) {
      at(id).addEventListener("input", (event) => this.suggest(event.target.value));
    }
    for (const id of ["kind", "level"]) {
      at(id).addEventListener("change", () => this.filter());
    }
    this.begin();
  }

  get corpus() {
    return at("corpus").value;
  }

  bar() {
    const button = (text, act) => make("button", { class: "button button-small", type: "button", onclick: act }, text);
    const names = Object.keys(LAYOUTS).filter((name) => name !== "stages");
    const layouts = make("select", { class: "input input-small", "aria-label": "Layout", onchange: () => this.view.arrange(layouts.value) }, ...names.map((name) => make("option", { value: name, selected: name === this.view.layout }, LAYOUTS[name].label)));
    this.links = new Neo4jLinks();
    at("explore-tools").replaceChildren(
      layouts,
      button("Fit", () => this.view.fit()),
      button("PNG", () => this.png()),
      button("GraphML", () => save("graph.graphml", "application/xml", graphml(this.drawn()))),
      button("JSON", () => save("graph.json", "application/json", JSON.stringify(this.drawn(), null, 2))),
      this.links.bloom,
      this.links.browser,
    );
  }

  say(words) {
    at("explore-message").textContent = words;
  }

  clear(words) {
    this.turn += 1;
    this.view.clear();
    this.expanded.clear();
    for (const id of ["explore-drawing", "explore-tools", "explore-detail"]) {
      at(id).hidden = true;
    }
    at("explore-legend").replaceChildren();
    at("explore-list").replaceChildren();
    this.say(words);
  }

  /* What the address asks for: the part of an answer, names, or an entity. */
  begin() {
    const asked = new URLSearchParams(location.search);
    if (NAMES_OF_ANSWERS.some((name) => asked.has(name))) {
      const parameters = new URLSearchParams({ corpus: this.corpus, limit: NODES });
      NAMES_OF_ANSWERS.forEach((name) => asked.getAll(name).forEach((id) => parameters.append(name, id)));
      this.view.beginAt(asked.getAll("entity_ids"));
      this.load(`/graph?${parameters}`, { answer: asked.getAll("chunk_ids") });
    } else if (asked.get("from")) {
      at("from").value = asked.get("from");
      at("to").value = asked.get("to") ?? "";
      this.draw();
    } else if (asked.get("entity_id")) {
      this.expand(asked.get("entity_id"));
    }
  }

  suggest(text) {
    clearTimeout(this.typing);
    this.typing = setTimeout(() => this.named(text).catch(() => {}), text.trim() ? TYPING_MS : 0);
  }

  /* Returns the entities whose name holds the text, which are suggested from now on. */
  async named(text) {
    if (!text.trim()) {
      return [];
    }
    const parameters = new URLSearchParams({ corpus: this.corpus, text, limit: SUGGESTIONS });
    const { entities } = await call(`/graph/entities?${parameters}`);
    at("names").replaceChildren(...entities.map((entity) => make("option", { value: entity.name }, `${kindOf(entity.type)} in ${entity.chunk_count ? `${entity.chunk_count} passages` : `${entity.triple_count} triples`}`)));
    return entities;
  }

  async first(text) {
    const entities = await this.named(text);
    const same = entities.find((entity) => entity.name.toLowerCase() === text.trim().toLowerCase());
    return same ?? entities[0] ?? null;
  }

  /* The address says what is drawn, so that it can be shared and gone back to. */
  share(drawn = {}) {
    const address = `?${new URLSearchParams({ corpus: this.corpus, ...drawn })}`;
    if (address !== location.search) {
      history.pushState(null, "", address);
    }
    this.shown = location.search;
  }

  /* Draws what is around the name of the form, or the way between its two names. */
  async draw() {
    const [from, to] = [at("from").value, at("to").value.trim()];
    try {
      const a = await this.first(from);
      const b = to ? await this.first(to) : null;
      const missing = a === null ? from : to && b === null ? to : null;
      if (missing !== null) {
        this.say(`No entity of ${this.corpus} has a name like “${missing}”.`);
      } else if (b) {
        this.share({ from: a.name, to: b.name });
        await this.path(a, b);
      } else {
        this.share({ from: a.name });
        await this.expand(a.id);
      }
    } catch (error) {
      this.say(errorWords(error));
    }
  }

  async path(a, b) {
    const parameters = new URLSearchParams({ corpus: this.corpus, a: a.id, b: b.id });
    const nodes = await this.load(`/graph/path?${parameters}`, { onPath: true });
    if (nodes === 0) {
      this.say(`Nothing joins ${a.name} and ${b.name} in ${this.corpus}.`);
    } else if (nodes) {
      this.say(`The shortest way from ${a.name} to ${b.name}.`);
    }
  }

  async expand(id) {
    if (await this.around(id, "entity_id")) {
      this.open(id);
    }
  }

  /* Draws what is around a node; returns whether it could be had: else it is asked for again. */
  async around(id, name) {
    this.expanded.add(id);
    const nodes = await this.load(`/graph?${new URLSearchParams({ corpus: this.corpus, limit: NODES, [name]: id })}`);
    if (nodes === null) {
      this.expanded.delete(id);
    }
    return nodes !== null;
  }

  /* Draws what REST answers, all of it as a path, or with the ways from the question's names to the
     passages of an answer brought out; returns how many nodes that were, null where it came too late or not at all. */
  async load(path, { onPath = false, answer = [] } = {}) {
    const turn = this.turn;
    this.say("Loading the graph…");
    try {
      const graph = await call(path);
      if (turn !== this.turn) {
        return null;
      }
      if (graph.nodes.length > 0) {
        at("explore-drawing").hidden = false;
        at("explore-tools").hidden = false;
        this.view.add(graph.nodes.map((node) => ({ ...node, onPath: onPath || answer.includes(node.id) })), graph.edges.map((edge) => ({ ...edge, onPath })));
        this.view.lead(answer);
        this.filter();
      }
      this.say(graph.truncated ? "There is more; click a node to see its surroundings." : "");
      return graph.nodes.length;
    } catch (error) {
      this.say(errorWords(error));
      return null;
    }
  }

  filter() {
    const types = at("kind").value.split(" ").filter(Boolean);
    const level = at("level").value;
    const hidden = (node) => (level && node.data("kind") !== level) || (types.length > 0 && node.data("kind") === "entity" && !types.includes(node.data("type")));
    this.view.nodes().forEach((node) => void node.toggleClass("later", Boolean(hidden(node))));
    this.view.refresh();
    const shown = this.view.nodes().filter((node) => !node.hasClass("later")).sort((a, b) => a.data("label").localeCompare(b.data("label")));
    at("explore-list").replaceChildren(...shown.map((node) => listItem(this.view, node, () => this.open(node.id()))));
    at("explore-legend").replaceChildren(...legend(this.view, "Path"));
    this.link();
  }

  async open(id) {
    const element = this.view.find(id);
    if (element.empty()) {
      return;
    }
    this.view.mark(id);
    this.describe(element);
    if (element.isEdge() || this.expanded.has(id) || element.data("kind") === "document") {
      return;
    }
    await this.around(id, element.data("kind") === "entity" ? "entity_id" : "chunk_ids");
    if (this.view.chosen === id) {
      this.view.mark(id); // with the neighbours that have come
      this.describe(element);
    }
  }

  describe(element) {
    at("explore-detail").hidden = false;
    at("explore-detail").replaceChildren(...(element.isEdge() ? describeEdge(this.view, element) : describeNode(this.view, element, this.corpus)));
    this.link(element);
  }

  /* Where the tools of Neo4j show what is chosen, else the passages that are drawn. */
  link(element) {
    const chunks = this.view.nodes().filter((node) => node.data("kind") === "chunk").map((node) => node.id());
    this.links.lead(element?.isNode() && element.data("kind") === "entity" ? element.data("label") : null, chunks);
  }

  /* Everything that is drawn and not filtered out. */
  drawn() {
    const nodes = this.view.nodes().filter((node) => !node.hasClass("later"));
    const ids = new Set(nodes.map((node) => node.id()));
    const edges = nodes.edgesWith(nodes).filter((edge) => ids.has(edge.source().id()) && ids.has(edge.target().id()));
    return {
      corpus: this.corpus,
      nodes: nodes.map((node) => ({ id: node.id(), kind: node.data("kind"), type: node.data("type") ?? "", label: node.data("label") })),
      edges: edges.map((edge) => ({ source: edge.source().id(), target: edge.target().id(), kind: edge.data("kind"), text: edge.data("text") ?? "" })),
    };
  }

  async png() {
    const background = getComputedStyle(this.view.element).backgroundColor;
    save("graph.png", "image/png", await this.view.cy.png({ output: "blob-promise", full: true, scale: 2, bg: background }));
  }
}

if (at("explorer")) {
  new Explorer();
}
