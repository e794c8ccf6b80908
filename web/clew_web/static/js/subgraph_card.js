/* Cards of the kind subgraph, as nodes and edges of the drawing. */
import { make } from "./dom.js";

/* Returns {nodes, edges, stages}; the stages of a later card follow those of the one before. */
export function drawnCards(cards) {
  const drawn = { nodes: [], edges: [], stages: [] };
  for (const card of cards) {
    const before = drawn.stages.length;
    const placed = (one) => ({ ...one, onPath: true, stage: one.stage + before });
    drawn.nodes.push(...card.nodes.map(placed));
    drawn.edges.push(...card.edges.map(placed));
    const count = Math.max(card.stages.length, 0, ...card.nodes.map((node) => node.stage + 1));
    for (let stage = 0; stage < count; stage += 1) {
      drawn.stages.push(card.stages[stage] || `Stage ${stage + 1}`);
    }
  }
  return drawn;
}

/* What the cards say of themselves, above the drawing. */
export function captions(cards) {
  return cards
    .filter((card) => card.title || card.summary)
    .map((card) => make("p", { class: "small soft" }, make("strong", {}, card.title), card.title && card.summary ? ": " : "", card.summary));
}
