/* Where nodes go. cytoscape's layouts with nothing random in them: the same graph looks the same. */

const GOLDEN = 2.399963;
const FEWEST_ROWS = 8;

/* ``roots``: the nodes that the drawing begins with, such as the question's entities; ``room``: a box of
   the drawing's shape to fill; ``widens``: it knows no such box, and is drawn out to it afterwards. */
export const LAYOUTS = {
  force: {
    label: "Forces",
    widens: true,
    options: () => ({
      name: "cose",
      randomize: false,
      nodeRepulsion: () => 60000,
      nodeOverlap: 20,
      idealEdgeLength: (edge) => (edge.hasClass("on-path") && edge.data("kind") !== "IN_CHUNK" ? 90 : 65),
      edgeElasticity: () => 60,
      gravity: 0.6,
      numIter: 700,
      initialTemp: 200,
    }),
  },
  thread: {
    label: "Along the thread",
    labelsBeside: true,
    options: (cy, roots, room) => ({ name: "breadthfirst", boundingBox: room, roots, spacingFactor: 1, direction: "rightward" }),
  },
  rings: {
    label: "Rings",
    options: (cy, roots, room) => ({ name: "breadthfirst", boundingBox: room, roots, spacingFactor: 1, circle: true }),
  },
  stages: {
    label: "A column a stage",
    labelsBeside: true,
    options: (cy, roots, room) => {
      const staged = cy.nodes().filter((node) => node.data("stage") !== null);
      const columns = Array.from({ length: staged.max((node) => node.data("stage")).value + 1 }, (_, stage) => staged.filter(`[stage = ${stage}]`).toArray());
      const rows = Math.max(FEWEST_ROWS, ...columns.map((column) => column.length));
      const others = cy.nodes().not(staged).toArray();
      for (let start = 0; start < others.length; start += rows) {
        columns.push(others.slice(start, start + rows));
      }
      const places = new Map(columns.flatMap((column, col) => column.map((node, row) => [node.id(), { col, row }])));
      return { name: "grid", boundingBox: room, rows, cols: columns.length, position: (node) => places.get(node.id()) };
    },
  },
};

/* The named nodes that are drawn; in a part of the graph without one, who has most edges. */
export function rootsOf(cy, ids) {
  const named = cy.nodes().filter((node) => ids.has(node.id()));
  const others = cy.elements().components().filter((part) => part.intersection(named).empty());
  return others.reduce((roots, part) => roots.union(part.nodes().max((node) => node.degree()).ele), named);
}

/* Puts new nodes beside a neighbour that has a place, fanned out; without one, on a spiral. */
export function placeNew(cy, fresh, roots) {
  const placed = cy.nodes().not(fresh);
  let count = placed.length;
  const known = new Set(placed.map((node) => node.id()));
  const place = (node, before) => {
    if (known.has(node.id())) {
      return;
    }
    known.add(node.id());
    count += 1;
    const from = before ?? node.neighborhood("node").filter((other) => other.id() !== node.id() && known.has(other.id()))[0];
    const { x, y } = from?.position() ?? { x: 0, y: 0 };
    const angle = from ? Math.atan2(y, x || 1) + ((count % 5) - 2) * 0.5 : count * GOLDEN;
    const distance = from ? 80 : 40 * Math.sqrt(count);
    node.position({ x: x + distance * Math.cos(angle), y: y + distance * Math.sin(angle) });
  };
  cy.elements().bfs({ roots: placed.union(roots), visit: (node, edge, before) => void place(node, before) });
}
