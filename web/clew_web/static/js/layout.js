/* A small force layout: nodes repel, edges pull, everything drifts to the middle. Nothing in it
   is random, so that the same graph looks the same again. */

const REPULSION = 11000;
const SPRING = 0.08;
const GRAVITY = 0.006;
const FRICTION = 0.78;
const GOLDEN = 2.399963;

export class Layout {
  constructor() {
    this.points = new Map();
    this.edges = [];
    this.count = 0;
    this.aspect = 1.3;
  }

  /* Takes nodes and edges; keeps the places of those that were there. */
  update(nodes, edges) {
    const near = new Map(nodes.map((node) => [node.id, []]));
    for (const edge of edges) {
      near.get(edge.source).push(edge.target);
      near.get(edge.target).push(edge.source);
    }
    const kept = new Map();
    for (const node of nodes) {
      if (this.points.has(node.id)) {
        kept.set(node.id, this.points.get(node.id));
      }
    }
    // breadth first, so that every new node finds a neighbour to start beside
    const queue = [...kept.keys(), ...nodes.map((node) => node.id)];
    const seen = new Set();
    while (queue.length > 0) {
      const id = queue.shift();
      if (!seen.has(id)) {
        seen.add(id);
        if (!kept.has(id)) {
          kept.set(id, this.start(near.get(id).map((other) => kept.get(other)).filter(Boolean)));
        }
        queue.unshift(...near.get(id).filter((other) => !seen.has(other)));
      }
    }
    this.points = kept;
    this.edges = edges;
    this.heat = 1;
  }

  /* A new node starts on the far side of its neighbour, fanned out; without one, on a spiral. */
  start(neighbours) {
    this.count += 1;
    const from = neighbours[0];
    const fan = ((this.count % 5) - 2) * 0.5;
    const angle = from ? Math.atan2(from.y, from.x || 1) + fan : this.count * GOLDEN;
    const distance = from ? 80 : 40 * Math.sqrt(this.count);
    return {
      x: (from?.x ?? 0) + distance * Math.cos(angle),
      y: (from?.y ?? 0) + distance * Math.sin(angle),
      vx: 0,
      vy: 0,
      held: false,
    };
  }

  /* One step; returns whether anything still moves. */
  step() {
    const points = [...this.points.values()];
    for (let i = 0; i < points.length; i += 1) {
      const a = points[i];
      a.vx -= (a.x * GRAVITY * this.heat) / Math.min(this.aspect, 2);
      a.vy -= a.y * GRAVITY * Math.min(this.aspect, 2) * this.heat;
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
      const pull = SPRING * this.heat * (distance - (edge.onPath ? 130 : 95));
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
