/* Draws a graph with cytoscape.js: layouts, zoom, pan, dragging, stages, and what is brought out. */
import cytoscape from "../vendor/cytoscape/cytoscape.esm.min.mjs";
import { make } from "./dom.js";
import { GraphKeys } from "./graph_keys.js";
import { LAYOUTS, placeNew, rootsOf } from "./graph_layouts.js";
import { keepInside, look, placeLabels, reach } from "./graph_look.js";
import { kindOf } from "./kinds.js";

const ROOM = { below: { top: 24, bottom: 36 }, beside: { top: 24, bottom: 24 } };
const EDGE = 4;
const BODY = 14;
const LEAST_SHARE = 0.25; // of the width, which is left for nodes whatever their labels need
const MOST_FITTED_ZOOM = 1.3;
const MOST_WIDENED = 2;
const MOVE_MS = 350;
const STYLE_ID = "__________cytoscape_stylesheet";
const still = matchMedia("(prefers-reduced-motion: reduce)");

export function nodeWords(node) {
  const { kind, type, label } = node.data();
  const what = kind === "entity" ? (type ? `Entity (${kindOf(type)})` : "Entity") : `${kind[0].toUpperCase()}${kind.slice(1)}`;
  return `${what}: ${label}`;
}

export class GraphView {
  /* ``place``: an element of the page, which cytoscape looks at for how it scrolls; ``choose(id)``: of a
     node or an edge that was pressed. */
  constructor(place, choose) {
    this.canvas = make("div", { class: "graph-canvas" });
    this.element = make("div", { class: "graph", role: "group", "aria-label": "Drawing of the evidence graph; the list below holds the same" }, this.canvas);
    place.append(this.element);
    if (!document.getElementById(STYLE_ID)) {
      // cytoscape adds a style element where there is no such element, and our policy refuses that
      document.head.append(make("meta", { id: STYLE_ID }));
    }
    this.cy = cytoscape({ container: this.canvas, minZoom: 0.05, maxZoom: 6, boxSelectionEnabled: false, autounselectify: true, style: look(1, still.matches), layout: { name: "preset" } });
    this.keys = new GraphKeys(this.cy, (node) => `${nodeWords(node)}${this.stageWords(node)}`, choose);
    this.element.append(this.keys.element);
    this.layout = "force";
    this.clear();
    this.listen(choose);
  }

  clear() {
    this.cy.stop();
    this.cy.elements().remove();
    this.roots = new Set();
    this.stageNames = [];
    this.goals = new Map(); // where nodes go that are on their way
    this.lit = null;
    this.cited = null;
    this.chosen = null;
    this.ownView = false;
    this.keys.update();
  }

  /* Drops all but these nodes, which keep their places; edges, path and stages are to come anew. */
  keep(ids) {
    this.cy.edges().remove();
    this.cy.nodes().filter((node) => !ids.has(node.id())).remove();
    this.cy.nodes().removeClass("on-path").data("stage", null);
  }

  stageWords(element) {
    const stage = element.data("stage");
    return this.stageNames.length > 1 && stage !== null ? `, stage ${stage + 1}` : "";
  }

  /* Adds nodes {id, kind, label, onPath, stage, …} and edges {id, source, target, kind, text, onPath,
     stage}; an edge without id is the one of its kind between its ends. What is there grows richer. */
  add(nodes, edges) {
    let fresh = this.cy.collection();
    this.cy.batch(() => {
      for (const { onPath, ...data } of nodes) {
        let node = this.find(data.id);
        if (node.empty()) {
          node = this.cy.add({ group: "nodes", data: { stage: null, ...data } });
          fresh = fresh.union(node);
        } else {
          node.data({ ...data, stage: earlier(node.data("stage"), data.stage) });
        }
        node.toggleClass("on-path", Boolean(onPath) || node.hasClass("on-path"));
      }
      for (const edge of edges) {
        fresh = fresh.union(this.addEdge(edge));
      }
    });
    if (fresh.nonempty()) {
      this.arrive(); // new nodes are placed beside others
      placeNew(this.cy, fresh.nodes(), rootsOf(this.cy, this.roots));
      this.arrange();
    }
    this.refresh();
  }

  addEdge({ id, source, target, kind, text, onPath, stage = null }) {
    const ends = [source, target].map((end) => this.find(end));
    if (ends.some((end) => end.empty())) {
      return this.cy.collection();
    }
    const alike = ends[0].edgesWith(ends[1]).filter((edge) => edge.data("kind") === kind);
    const known = id ? alike.filter((edge) => [id, null].includes(edge.data("ref"))) : alike;
    for (const edge of known) {
      edge.data({ ref: edge.data("ref") ?? id ?? null, text: edge.data("text") || text || "", stage: earlier(edge.data("stage"), stage) });
      edge.toggleClass("on-path", Boolean(onPath) || edge.hasClass("on-path"));
    }
    return known.nonempty()
      ? this.cy.collection()
      : this.cy.add({ group: "edges", data: { source, target, kind, text: text ?? "", ref: id ?? null, stage }, classes: onPath ? ["on-path"] : [] });
  }

  /* Where the drawing begins, such as the question's entities: layouts start there. */
  beginAt(ids) {
    this.roots = new Set(ids);
  }

  /* Brings out the shortest way to each of these nodes from the nearest of those where it begins. */
  lead(ids) {
    const roots = this.cy.nodes().filter((node) => this.roots.has(node.id()));
    for (const id of ids.filter((one) => this.find(one).nonempty())) {
      const found = this.cy.elements().dijkstra({ root: this.find(id) });
      const nearest = roots.min((root) => found.distanceTo(root));
      if (Number.isFinite(nearest.value)) {
        found.pathTo(nearest.ele).addClass("on-path");
      }
    }
    this.refresh();
  }

  nodes() {
    return this.cy.nodes();
  }

  find(id) {
    return this.cy.getElementById(id);
  }

  /* The ids of the entities of these names that are drawn. */
  named(names) {
    const wanted = new Set(names.map((name) => name.toLowerCase()));
    return this.cy.nodes("[kind = 'entity']").filter((node) => wanted.has(node.data("label").toLowerCase())).map((node) => node.id());
  }

  neighbours(id) {
    const node = this.find(id);
    return node.connectedEdges().map((edge) => ({ edge, node: edge.connectedNodes().not(node)[0] ?? node }));
  }

  /* Lays everything out anew by ``name``; without one as before, around what was dragged. */
  arrange(name) {
    this.layout = name ?? this.layout;
    if (name) {
      this.cy.nodes().removeClass("held");
      this.ownView = false;
    }
    this.cy.resize(); // it may have been hidden until now
    const before = new Map(this.cy.nodes().map((node) => [node.id(), { ...node.position() }]));
    this.arrive();
    const held = this.cy.nodes(".held").lock();
    this.dress(1); // layouts look at sizes, which must not depend on the view
    const options = LAYOUTS[this.layout].options(this.cy, rootsOf(this.cy, this.roots), this.room());
    this.cy.layout({ ...options, fit: false, animate: false }).run();
    held.unlock();
    if (LAYOUTS[this.layout].widens && held.empty()) {
      this.widen();
    }
    const view = this.ownView ? { zoom: this.cy.zoom(), pan: this.cy.pan() } : this.fitted();
    if (still.matches) {
      this.cy.viewport(view);
      return;
    }
    this.cy.nodes().forEach((node) => {
      const to = { ...node.position() };
      this.goals.set(node.id(), to);
      node.position(before.get(node.id()));
      node.animate({ position: to }, { duration: MOVE_MS, complete: () => this.goals.delete(node.id()) });
    });
    this.cy.animate(view, { duration: MOVE_MS });
  }

  /* Ends all movement, every node where it goes that nobody has dragged. cytoscape's own jump to the
     end comes with the next frame, after what is to begin there. */
  arrive() {
    this.cy.stop(true).elements().stop(true);
    this.goals.forEach((at, id) => this.find(id).not(".held").position(at));
    this.goals.clear();
  }

  /* A box of the drawing's shape, larger for many nodes. */
  room() {
    const scale = Math.max(1, Math.sqrt(this.cy.nodes().length / 12));
    return { x1: 0, y1: 0, w: this.cy.width() * scale, h: this.cy.height() * scale };
  }

  /* Draws everything out sideways, as labels lie, as far as nothing has to get smaller for it. */
  widen() {
    const { wide, tall } = this.spread();
    const by = Math.min(wide / tall, MOST_WIDENED);
    if (by > 1) {
      this.cy.nodes().positions((node) => ({ x: by * node.position("x"), y: node.position("y") }));
    }
  }

  /* The zooms up to which everything has room in the width and in the height, and how far nodes reach:
     labels keep their size on the screen, so what they need is taken off the width first. */
  spread() {
    this.dress(1); // measured at another zoom, labels are a fraction of a pixel wider or narrower
    const { labelsBeside } = LAYOUTS[this.layout];
    const spans = this.cy.nodes().map((node) => {
      const { left, right } = reach(node, labelsBeside);
      return { x: node.position("x"), left: Math.max(left, BODY), right: Math.max(right, BODY) };
    });
    this.dress(this.cy.zoom());
    const ys = this.cy.nodes().map((node) => node.position("y"));
    const [y1, y2] = [Math.min(...ys), Math.max(...ys)];
    const { top, bottom } = ROOM[labelsBeside ? "beside" : "below"];
    const width = this.cy.width() - 2 * EDGE;
    const height = this.cy.height() - top - bottom;
    let wide = Infinity;
    for (const one of spans) {
      for (const other of spans) {
        if (other.x > one.x) {
          wide = Math.min(wide, Math.max(width - one.left - other.right, LEAST_SHARE * width) / (other.x - one.x));
        }
      }
    }
    const tall = Math.min(height / Math.max(y2 - y1, 1), MOST_FITTED_ZOOM);
    return { wide, tall, spans, width, height, top, middle: (y1 + y2) / 2 };
  }

  /* The view that shows everything. */
  fitted() {
    const { wide, tall, spans, width, height, top, middle } = this.spread();
    const zoom = Math.max(Math.min(wide, tall), this.cy.minZoom());
    const low = Math.min(...spans.map(({ x, left }) => zoom * x - left));
    const high = Math.max(...spans.map(({ x, right }) => zoom * x + right));
    return { zoom, pan: { x: EDGE + (width - low - high) / 2, y: top + height / 2 - zoom * middle } };
  }

  fit() {
    this.ownView = false;
    this.arrive();
    this.cy.viewport(this.fitted());
  }

  zoom(factor) {
    this.ownView = true;
    const middle = { x: this.cy.width() / 2, y: this.cy.height() / 2 };
    this.cy.stop(true).zoom({ level: this.cy.zoom() * factor, renderedPosition: middle });
  }

  /* Shows what came up to a stage, ``marked``: what came with it; what has no stage comes last. */
  upTo(stage, isLast, marked) {
    this.cy.batch(() => {
      this.cy.elements().forEach((element) => {
        const own = element.data("stage");
        element.toggleClass("later", !isLast && (own === null || own > stage));
        element.toggleClass("came", marked && own === stage);
      });
    });
    this.refresh();
  }

  /* Brings these nodes and the edges between them out; null: none in particular. */
  light(ids) {
    this.lit = ids && new Set(ids);
    this.shine();
    this.dressSoon();
  }

  shine() {
    const isLit = (element) => (element.isNode() ? Boolean(this.lit?.has(element.id())) : element.connectedNodes().every(isLit));
    const some = this.cy.nodes().some(isLit);
    this.cy.batch(() => {
      this.cy.elements().forEach((element) => {
        element.toggleClass("lit", some && isLit(element)).toggleClass("unlit", some && !isLit(element));
      });
    });
  }

  /* Dims those parts of the path that lead to no cited chunk. */
  cite(chunkIds) {
    this.cited = chunkIds.length > 0 ? new Set(chunkIds) : null;
    this.refresh();
  }

  mark(id) {
    this.chosen = id;
    this.refresh();
  }

  refresh() {
    const isCited = (node) => this.cited.has(node.id()) || (node.data("kind") === "sentence" && node.neighborhood("node").some((other) => this.cited.has(other.id())));
    const isDim = (edge) => this.cited !== null && !edge.connectedNodes().some(isCited);
    this.cy.batch(() => {
      this.cy.nodes().forEach((node) => void node.toggleClass("chosen", node.id() === this.chosen).toggleClass("root", this.roots.has(node.id())));
      this.cy.edges().forEach((edge) => {
        const near = edge.id() === this.chosen || edge.connectedNodes().some((node) => node.id() === this.chosen);
        edge.toggleClass("near", near).toggleClass("chosen", edge.id() === this.chosen).toggleClass("dim", edge.hasClass("on-path") && isDim(edge));
      });
    });
    this.shine();
    this.keys.update();
    this.dressSoon();
  }

  dress(zoom) {
    this.cy.style(look(zoom, still.matches, LAYOUTS[this.layout].labelsBeside));
  }

  /* Once a frame at most: the stylesheet depends on the zoom, which labels have room on the places. */
  dressSoon() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      this.dress(this.cy.zoom());
      placeLabels(this.cy, LAYOUTS[this.layout].labelsBeside);
      keepInside(this.cy);
    });
  }

  listen(choose) {
    this.cy.on("tap", "node, edge", (event) => choose(event.target.id()));
    this.cy.on("mouseover", "node, edge", (event) => this.hover(event.target, true));
    this.cy.on("mouseout", "node, edge", (event) => this.hover(event.target, false));
    this.cy.on("dragpan scrollzoom pinchzoom", () => {
      this.ownView = true;
    });
    this.cy.on("drag", "node", (event) => {
      event.target.addClass("held");
      this.ownView = true;
    });
    this.cy.on("zoom position", () => this.dressSoon());
    this.cy.on("resize", () => {
      if (!this.ownView && this.cy.nodes().nonempty() && this.cy.width() > 0) {
        this.cy.viewport(this.fitted());
      }
    });
    const freely = { capture: true, passive: true };
    this.element.addEventListener("wheel", (event) => event.ctrlKey || event.metaKey || event.stopPropagation(), freely);
    new MutationObserver(() => this.dressSoon()).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.dressSoon());
  }

  hover(element, isOver) {
    element.toggleClass("over", isOver);
    keepInside(this.cy);
    this.element.classList.toggle("over-element", isOver);
    this.canvas.title = isOver && element.isNode() ? nodeWords(element) : "";
  }
}

function earlier(one, other) {
  return one === null || one === undefined ? (other ?? null) : Math.min(one, other ?? one);
}
