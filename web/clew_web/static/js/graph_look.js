/* How the drawing looks: cytoscape's stylesheet, made of the tokens of css/tokens.css. */

const LABEL = 11;
const MOST_LETTERS = 24;
const MOST_EDGE_LETTERS = 40;
const MOST_WHOLE_LETTERS = 160;
const WIDEST = 200;
const MARGIN = 3;

export function shortened(label, most = MOST_LETTERS) {
  return label.length > most ? `${label.slice(0, most - 2).trimEnd()}…` : label;
}

function whole(node) {
  return shortened(node.data("label"), MOST_WHOLE_LETTERS);
}

/* ``zoom``: of the view. Labels keep their size on the screen; nodes and edges do not get smaller than
   they are at a zoom of 1. ``beside``: labels stand to the right of their nodes, not below. */
export function look(zoom, still, beside = false) {
  const tokens = getComputedStyle(document.documentElement);
  const token = (name) => tokens.getPropertyValue(`--${name}`).trim();
  const onScreen = (pixels) => pixels / zoom;
  const size = (pixels) => pixels / Math.min(zoom, 1);
  const text = {
    color: token("ink"),
    "font-family": token("sans"),
    "font-size": onScreen(LABEL),
    "text-outline-color": token("surface-sunken"),
    "text-outline-width": onScreen(2.5),
    "text-events": "no",
  };
  const filled = (name) => ({ "background-color": token(`${name}-wash`), "border-color": token(name) });
  return [
    {
      selector: "node",
      style: {
        ...text,
        label: (node) => shortened(node.data("label")),
        "font-weight": 500,
        "text-valign": beside ? "center" : "bottom",
        "text-halign": beside ? "right" : "center",
        [beside ? "text-margin-x" : "text-margin-y"]: onScreen(3),
        "border-width": size(1.5),
        "overlay-opacity": 0,
        "transition-property": "opacity",
        "transition-duration": still ? 0 : 120,
      },
    },
    { selector: "node[kind = 'entity']", style: { ...filled("entity"), shape: "ellipse", width: size(12), height: size(12) } },
    { selector: "node[kind = 'chunk']", style: { ...filled("chunk"), shape: "round-rectangle", width: size(15), height: size(15) } },
    { selector: "node[kind = 'sentence']", style: { ...filled("chunk"), shape: "round-rectangle", width: size(20), height: size(8) } },
    { selector: "node[kind = 'document']", style: { ...filled("chunk"), shape: "rectangle", width: size(12), height: size(16) } },
    {
      selector: "edge",
      style: {
        ...text,
        "curve-style": "bezier",
        "line-color": token("line-strong"),
        "line-opacity": 0.45,
        width: size(1.2),
        "target-arrow-color": token("line-strong"),
        "arrow-scale": size(0.7),
        "overlay-opacity": 0,
        "transition-property": "opacity",
        "transition-duration": still ? 0 : 120,
      },
    },
    { selector: "edge[kind = 'RELATION']", style: { "target-arrow-shape": "triangle" } },
    { selector: "node.on-path", style: { "border-color": token("accent"), "border-width": size(2.5), "font-weight": 700, "font-size": onScreen(1.1 * LABEL), "z-index": 2 } },
    { selector: "node[kind = 'entity'].on-path", style: { "background-color": token("entity"), width: size(16), height: size(16) } },
    { selector: "node[kind = 'chunk'].on-path", style: { "background-color": token("chunk"), width: size(20), height: size(20) } },
    { selector: "node[kind = 'sentence'].on-path", style: { "background-color": token("chunk"), width: size(24), height: size(10) } },
    { selector: "node[kind = 'document'].on-path", style: { "background-color": token("chunk"), width: size(14), height: size(19) } },
    { selector: "edge.on-path", style: { "line-color": token("accent"), "target-arrow-color": token("accent"), "line-opacity": 0.9, width: size(3), "z-index": 1 } },
    { selector: "edge.on-path.dim", style: { "line-opacity": 0.4, width: size(1.5) } },
    { selector: "node.root", style: { "text-valign": "bottom", "text-halign": "center", "text-margin-x": 0, "text-margin-y": onScreen(3) } },
    { selector: "node.mute", style: { "text-opacity": 0 } },
    { selector: "node.came", style: { "underlay-color": token("mark"), "underlay-opacity": 0.9, "underlay-padding": size(6), "underlay-shape": (node) => (node.data("kind") === "entity" ? "ellipse" : "round-rectangle") } },
    { selector: ".unlit", style: { opacity: 0.2 } },
    { selector: "edge.near", style: { "line-color": token("ink"), "target-arrow-color": token("ink"), "line-opacity": 0.8 } },
    { selector: "edge.near, edge.lit, edge.over", style: { label: (edge) => shortened(edge.data("text"), MOST_EDGE_LETTERS) } },
    { selector: "node.chosen", style: { "border-color": token("ink"), "border-width": size(3.5) } },
    { selector: "node.lit", style: { "text-opacity": 1, "z-index": 3 } },
    { selector: "node.over, node.chosen, node.focused", style: { label: whole, "text-wrap": "wrap", "text-max-width": onScreen(WIDEST), "text-opacity": 1, "z-index": 4 } },
    { selector: ".later", style: { visibility: "hidden", events: "no" } },
  ];
}

/* Where a node's label lies, in the drawing's coordinates; ``drawn``: as it was drawn last, which costs
   less than to measure it as it is to be drawn next. */
export function labelBox(node, drawn = false) {
  return node.boundingBox({ includeNodes: false, includeEdges: false, includeLabels: true, includeOverlays: false, includeUnderlays: false, useCache: drawn });
}

/* Moves the labels of nodes that are looked at, which are shown in all their words, into the view. */
export function keepInside(cy) {
  const extent = cy.extent();
  const [x1, x2] = [extent.x1 + MARGIN / cy.zoom(), extent.x2 - MARGIN / cy.zoom()];
  cy.nodes(".moved").removeStyle("text-margin-x").removeClass("moved");
  for (const node of cy.nodes(".over, .chosen, .focused")) {
    const box = labelBox(node);
    const inward = Math.max(x1 - box.x1, 0) + Math.min(x2 - box.x2, 0);
    if (inward !== 0 && x1 < node.position("x") && node.position("x") < x2) {
      node.style("text-margin-x", node.numericStyle("text-margin-x") + inward).addClass("moved");
    }
  }
}

/* Mutes labels that would lie upon a more important one's: of where it begins, of the path's
   entities and chunks, of who has most edges. */
export function spaceLabels(cy) {
  const weight = (node) => 1000 * node.hasClass("root") + 500 * (node.hasClass("on-path") && node.data("kind") !== "sentence") + node.degree();
  const waiting = cy.nodes().not(".later").sort((a, b) => weight(b) - weight(a));
  const bodies = waiting.map((node) => ({ node, ...node.boundingBox({ includeLabels: false, includeEdges: false, includeUnderlays: false }) }));
  const taken = [];
  const meets = (box, other) => box.x1 < other.x2 && other.x1 < box.x2 && box.y1 < other.y2 && other.y1 < box.y2;
  const muted = cy.collection();
  for (const node of waiting) {
    const box = labelBox(node, true);
    const covers = bodies.some((body) => body.node !== node && meets(box, body) && weight(body.node) >= weight(node) - 250);
    if (covers || taken.some((other) => meets(box, other))) {
      muted.merge(node);
    } else {
      taken.push(box);
    }
  }
  cy.batch(() => {
    cy.nodes().removeClass("mute");
    muted.addClass("mute");
  });
}
