/* A small force layout: nodes repel, edges pull, everything drifts to the middle. Deterministic:
   new nodes start beside a neighbour on a spiral, so that the same graph looks the same again. */

const REPULSION = 1500;
const SPRING = 0.07;
const GRAVITY = 0.018;
const FRICTION = 0.78;
const GOLDEN = 2.399963;

export class Layout {
  constructor() {
    this.points = new Map();
    this.edges = [];
    this.count = 0;
  }

  /* Takes nodes and edges; keeps the places of those that were there. */
  update(nodes, edges) {
    const kept = new Map();
    for (const node of nodes) {
      kept.set(node.id, this.points.get(node.id) ?? this.start(node, edges));
      kept.get(node.id).size = node.radius;
    }
    this.points = kept;
    this.edges = edges;
    this.heat = 1;
  }

  start(node, edges) {
    this.count += 1;
    const edge = edges.find(
      (one) =>
        (one.source === node.id && this.points.has(one.target)) ||
        (one.target === node.id && this.points.has(one.source)),
    );
    const near = edge ? this.points.get(edge.source === node.id ? edge.target : edge.source) : null;
    const angle = this.count * GOLDEN;
    const distance = near ? 50 : 26 * Math.sqrt(this.count);
    return {
      x: (near?.x ?? 0) + distance * Math.cos(angle),
      y: (near?.y ?? 0) + distance * Math.sin(angle),
      vx: 0,
      vy: 0,
      held: false,
      size: 8,
    };
  }

  /* One step; returns whether anything still moves. */
  step() {
    const points = [...this.points.values()];
    for (let i = 0; i < points.length; i += 1) {
      const a = points[i];
      a.vx -= a.x * GRAVITY * this.heat;
      a.vy -= a.y * GRAVITY * 1.5 * this.heat;
      for (let j = i + 1; j < points.length; j += 1) {
        const b = points[j];
        let dx = a.x - b.x;
        const dy = a.y - b.y;
        if (dx === 0 && dy === 0) {
          dx = 0.01;
        }
        const square = Math.max(dx * dx + dy * dy, 60);
        const push = (REPULSION * this.heat) / square;
        const distance = Math.sqrt(square);
        a.vx += (dx / distance) * push;
        a.vy += (dy / distance) * push;
        b.vx -= (dx / distance) * push;
        b.vy -= (dy / distance) * push;
      }
    }
    for (const edge of this.edges) {
      const a = this.points.get(edge.source);
      const b = this.points.get(edge.target);
      const dx = b.x - a.x;
      const dy = b.y - a.y;
      const distance = Math.max(Math.hypot(dx, dy), 0.01);
      const pull = SPRING * this.heat * (distance - (edge.onPath ? 60 : 80));
      a.vx += (dx / distance) * pull;
      a.vy += (dy / distance) * pull;
      b.vx -= (dx / distance) * pull;
      b.vy -= (dy / distance) * pull;
    }
    for (const point of points) {
      point.vx *= FRICTION;
      point.vy *= FRICTION;
      if (!point.held) {
        point.x += Math.max(-25, Math.min(25, point.vx));
        point.y += Math.max(-25, Math.min(25, point.vy));
      }
    }
    this.heat *= 0.985;
    return this.heat > 0.02;
  }
}
