/* Draws a graph as SVG: pan, zoom, drag, and every node a button for the keyboard. */
import { make, makeSvg } from "./dom.js";
import { Layout } from "./layout.js";

const MARGIN = 50;
const MOST_LABELS = 45;

function shortened(label) {
  return label.length > 24 ? `${label.slice(0, 22).trimEnd()}…` : label;
}

export class GraphView {
  constructor(choose) {
    this.choose = choose;
    this.nodes = new Map();
    this.edges = new Map();
    this.drawn = new Map();
    this.lines = new Map();
    this.layout = new Layout();
    this.edgeLayer = makeSvg("g");
    this.nodeLayer = makeSvg("g");
    this.svg = makeSvg("svg", { role: "group", "aria-label": "Drawing of the evidence graph; the list below holds the same" }, this.edgeLayer, this.nodeLayer);
    this.element = make("div", { class: "graph" }, this.svg);
    this.view = null;
    this.cited = null;
    this.frame = 0;
    this.listen();
    new ResizeObserver(() => this.draw()).observe(this.svg);
  }

  clear() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.nodes.clear();
    this.edges.clear();
    this.drawn.clear();
    this.lines.clear();
    this.layout = new Layout();
    this.edgeLayer.replaceChildren();
    this.nodeLayer.replaceChildren();
    this.view = null;
    this.chosen = null;
    this.cited = null;
    this.lit = null;
    this.shine();
  }

  /* Brings these nodes and the edges between them out; null: none in particular. */
  light(ids) {
    this.lit = ids && new Set(ids);
    this.shine();
  }

  shine() {
    const isLit = (id) => Boolean(this.lit?.has(id));
    this.svg.classList.toggle("lit-only", [...this.drawn.keys()].some(isLit));
    for (const [id, group] of this.drawn) {
      group.classList.toggle("lit", isLit(id));
    }
    for (const [key, line] of this.lines) {
      const edge = this.edges.get(key);
      line.classList.toggle("lit", isLit(edge.source) && isLit(edge.target));
    }
  }

  /* Dims those parts of the path that lead to no cited chunk. */
  cite(chunkIds) {
    this.cited = chunkIds.length > 0 ? new Set(chunkIds) : null;
    this.build();
  }

  isDim(edge) {
    return this.cited !== null && !this.cited.has(edge.source) && !this.cited.has(edge.target);
  }

  /* Adds nodes {id, kind, label, onPath} and edges {source, target, onPath, text}. */
  add(nodes, edges) {
    for (const node of nodes) {
      const known = this.nodes.get(node.id);
      this.nodes.set(node.id, { ...known, ...node, onPath: Boolean(known?.onPath || node.onPath) });
    }
    for (const edge of edges) {
      if (this.nodes.has(edge.source) && this.nodes.has(edge.target)) {
        const key = [edge.source, edge.target].sort().join(" ");
        const known = this.edges.get(key);
        this.edges.set(key, {
          ...known,
          ...edge,
          key,
          text: edge.text || known?.text || "",
          onPath: Boolean(known?.onPath || edge.onPath),
        });
      }
    }
    for (const node of this.nodes.values()) {
      node.radius = (node.kind === "chunk" ? 9 : 7) + (node.onPath ? 3 : 0);
    }
    this.layout.aspect = this.svg.clientHeight > 0 ? this.svg.clientWidth / this.svg.clientHeight : 1.3;
    this.layout.update([...this.nodes.values()], [...this.edges.values()]);
    this.build();
    this.settle();
  }

  neighbours(id) {
    const found = [];
    for (const edge of this.edges.values()) {
      if (edge.source === id || edge.target === id) {
        found.push({ node: this.nodes.get(edge.source === id ? edge.target : edge.source), edge });
      }
    }
    return found;
  }

  build() {
    const faint = this.nodes.size > MOST_LABELS;
    for (const edge of this.edges.values()) {
      if (!this.lines.has(edge.key)) {
        const line = makeSvg("line");
        this.lines.set(edge.key, line);
        this.edgeLayer.append(line);
      }
      const names = ["edge", edge.onPath && "on-path", edge.onPath && this.isDim(edge) && "dim"];
      this.lines.get(edge.key).setAttribute("class", names.filter(Boolean).join(" "));
    }
    for (const node of this.nodes.values()) {
      if (!this.drawn.has(node.id)) {
        const group = makeSvg("g", { tabindex: "0", role: "button", "data-node": node.id }, makeSvg("title"), makeSvg(node.kind === "chunk" ? "rect" : "circle", { class: "shape" }), makeSvg("text"));
        this.drawn.set(node.id, group);
        this.nodeLayer.append(group);
      }
      const group = this.drawn.get(node.id);
      if (node.onPath && this.nodeLayer.lastChild !== group && !group.contains(document.activeElement)) {
        this.nodeLayer.append(group); // the path lies on top
      }
      const [title, shape, text] = group.children;
      const what = node.kind === "chunk" ? "Chunk" : node.type ? `Entity (${node.type.toLowerCase()})` : "Entity";
      group.setAttribute("class", ["node", node.kind, node.onPath && "on-path", faint && !node.onPath && "faint", node.id === this.chosen && "chosen"].filter(Boolean).join(" "));
      group.setAttribute("aria-label", `${what}: ${node.label}`);
      title.textContent = `${what}: ${node.label}`;
      text.textContent = shortened(node.label);
      text.setAttribute("y", node.radius + 2);
      text.setAttribute("dy", "1em");
      const r = node.radius;
      const box = node.kind === "chunk" ? { x: -r, y: -r, width: 2 * r, height: 2 * r, rx: 4 } : { r };
      for (const [name, value] of Object.entries(box)) {
        shape.setAttribute(name, value);
      }
    }
    this.shine();
  }

  settle() {
    cancelAnimationFrame(this.frame);
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
      while (this.layout.step());
      this.draw();
      return;
    }
    for (let i = 0; i < 90; i += 1) {
      this.layout.step();
    }
    const move = () => {
      const moving = this.layout.step() && this.layout.step();
      this.draw();
      this.frame = moving ? requestAnimationFrame(move) : 0;
    };
    move();
  }

  draw() {
    const points = this.layout.points;
    for (const [key, line] of this.lines) {
      const edge = this.edges.get(key);
      const a = points.get(edge.source);
      const b = points.get(edge.target);
      line.setAttribute("x1", a.x);
      line.setAttribute("y1", a.y);
      line.setAttribute("x2", b.x);
      line.setAttribute("y2", b.y);
    }
    for (const [id, group] of this.drawn) {
      const point = points.get(id);
      group.setAttribute("transform", `translate(${point.x} ${point.y})`);
    }
    this.frameView();
  }

  /* Shows everything, unless the user has chosen what to look at. */
  frameView() {
    const { clientWidth: width, clientHeight: height } = this.svg;
    if (width === 0 || this.layout.points.size === 0) {
      return;
    }
    const view = this.view ?? this.fitting(width, height);
    this.shown = view;
    // labels keep their size on the screen; where they would cover each other only the path has some
    const scale = view.width / width;
    this.nodeLayer.style.fontSize = `${11 * scale}px`;
    this.svg.classList.toggle("crowded", scale > 1.5);
    this.svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.width} ${view.height}`);
  }

  fitting(width, height) {
    const points = [...this.layout.points.values()];
    const xs = points.map((point) => point.x);
    const ys = points.map((point) => point.y);
    const left = Math.min(...xs) - 1.5 * MARGIN;
    const top = Math.min(...ys) - MARGIN;
    const wide = Math.max(...xs) + 1.5 * MARGIN - left;
    const high = Math.max(...ys) + MARGIN - top;
    const scale = Math.max(wide / width, high / height, 0.7);
    return {
      x: left + wide / 2 - (width * scale) / 2,
      y: top + high / 2 - (height * scale) / 2,
      width: width * scale,
      height: height * scale,
    };
  }

  zoom(factor, x = 0.5, y = 0.5) {
    const view = this.view ?? this.shown;
    if (!view) {
      return;
    }
    const width = Math.min(Math.max(view.width * factor, 80), 20000);
    const height = (width / view.width) * view.height;
    this.view = { x: view.x + (view.width - width) * x, y: view.y + (view.height - height) * y, width, height };
    this.frameView();
  }

  fit() {
    this.view = null;
    this.frameView();
  }

  mark(id) {
    this.chosen = id;
    for (const [key, line] of this.lines) {
      const edge = this.edges.get(key);
      line.classList.toggle("near", edge.source === id || edge.target === id);
    }
    for (const [other, group] of this.drawn) {
      group.classList.toggle("chosen", other === id);
    }
  }

  listen() {
    let drag = null;
    this.svg.addEventListener("pointerdown", (event) => {
      const group = event.target.closest("[data-node]");
      const id = group?.dataset.node;
      drag = { id, x: event.clientX, y: event.clientY, moved: false, view: this.view ?? this.shown };
      this.svg.setPointerCapture(event.pointerId);
    });
    this.svg.addEventListener("pointermove", (event) => {
      if (!drag || !drag.view) {
        return;
      }
      const scale = drag.view.width / this.svg.clientWidth;
      const dx = (event.clientX - drag.x) * scale;
      const dy = (event.clientY - drag.y) * scale;
      drag.moved ||= Math.abs(event.clientX - drag.x) + Math.abs(event.clientY - drag.y) > 5;
      if (!drag.moved) {
        return;
      }
      if (drag.id) {
        const point = this.layout.points.get(drag.id);
        drag.from ??= { x: point.x, y: point.y };
        point.held = true;
        point.x = drag.from.x + dx;
        point.y = drag.from.y + dy;
        this.view = drag.view;
        this.draw();
      } else {
        this.svg.classList.add("panning");
        this.view = { ...drag.view, x: drag.view.x - dx, y: drag.view.y - dy };
        this.frameView();
      }
    });
    const end = () => {
      if (drag && !drag.moved && drag.id) {
        this.choose(drag.id);
      }
      this.svg.classList.remove("panning");
      drag = null;
    };
    this.svg.addEventListener("pointerup", end);
    this.svg.addEventListener("pointercancel", () => {
      drag = null;
    });
    this.svg.addEventListener(
      "wheel",
      (event) => {
        if (!event.ctrlKey && !event.metaKey) {
          return;
        }
        event.preventDefault();
        const box = this.svg.getBoundingClientRect();
        this.zoom(event.deltaY > 0 ? 1.15 : 1 / 1.15, (event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
      },
      { passive: false },
    );
    this.svg.addEventListener("keydown", (event) => {
      const id = event.target.closest("[data-node]")?.dataset.node;
      if (id && (event.key === "Enter" || event.key === " ")) {
        event.preventDefault();
        this.choose(id);
      }
    });
  }
}
