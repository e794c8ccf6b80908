/* How the drawing looks: cytoscape's stylesheet, made of the tokens of css/tokens.css. */

const LABEL = 11;
const MOST_LETTERS = 24;
const MOST_EDGE_LETTERS = 40;
const MOST_WHOLE_LETTERS = 160;
const WIDEST = 200;
const MARGIN = 3;
const GAP = 3; // between a node and its label
/* Where a label may stand, the best place first: the direction from its node, as cytoscape names it. */
const SIDES = {
  right: { x: 1, y: 0, halign: "right", valign: "center" },
  below: { x: 0, y: 1, halign: "center", valign: "bottom" },
  above: { x: 0, y: -1, halign: "center", valign: "top" },
  left: { x: -1, y: 0, halign: "left", valign: "center" },
};
const ON_SIDE = Object.keys(SIDES).map((side) => `label-${side}`);

export function shortened(label, most = MOST_LETTERS) {
  return label.length > most ? `${label.slice(0, most - 2).trimEnd()}…` : label;
}

function whole(node) {
  return shortened(node.data("label"), MOST_WHOLE_LETTERS);
}

/* Where a label stands if nothing is there; of nodes that the drawing begins with always below, since
   what they lead to comes to their right. */
function ownSide(node, beside) {
  return beside && !node.hasClass("root") ? "right" : "below";
}

function standing(side, gap) {
  const { x, y, halign, valign } = SIDES[side];
  return { "text-halign": halign, "text-valign": valign, "text-margin-x": x * gap, "text-margin-y": y * gap };
}

/* ``zoom``: of the view. Labels keep their size on the screen; nodes and edges do not get smaller than
   they are at a zoom of 1. ``beside``: labels stand to the right of their nodes where there is room,
   not below. */
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
        ...standing(beside ? "right" : "below", onScreen(GAP)),
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
    { selector: "node[kind = 'sentence'].on-path", style: { "background-color": token("chunk"), width: size(24), height: size(10), "z-index": 1 } },
    { selector: "node[kind = 'document'].on-path", style: { "background-color": token("chunk"), width: size(14), height: size(19) } },
    { selector: "edge.near", style: { "line-color": token("ink"), "target-arrow-color": token("ink"), "line-opacity": 0.8 } },
    { selector: "edge.on-path", style: { "line-color": token("accent"), "target-arrow-color": token("accent"), "line-opacity": 0.9, width: size(3), "z-index": 1 } },
    { selector: "edge.on-path.dim", style: { "line-opacity": 0.4, width: size(1.5) } },
    { selector: "node.root", style: { ...standing("below", onScreen(GAP)), "z-index": 3 } },
    ...Object.keys(SIDES).map((side) => ({ selector: `node.label-${side}`, style: standing(side, onScreen(GAP)) })),
    { selector: "node.mute", style: { "text-opacity": 0 } },
    { selector: "node.came", style: { "underlay-color": token("mark"), "underlay-opacity": 0.9, "underlay-padding": size(6), "underlay-shape": (node) => (node.data("kind") === "entity" ? "ellipse" : "round-rectangle") } },
    { selector: ".unlit", style: { opacity: 0.2 } },
    { selector: "edge.near, edge.lit, edge.over", style: { label: (edge) => shortened(edge.data("text"), MOST_EDGE_LETTERS) } },
    { selector: "edge.hushed", style: { "text-opacity": 0 } },
    { selector: "edge.over, edge.chosen", style: { "text-opacity": 1, "z-index": 3 } },
    { selector: "node.chosen", style: { "border-color": token("ink"), "border-width": size(3.5) } },
    { selector: "node.lit", style: { "text-opacity": 1, "z-index": 3 } },
    { selector: "node.over, node.chosen, node.focused", style: { label: whole, "text-wrap": "wrap", "text-max-width": onScreen(WIDEST), "text-opacity": 1, "z-index": 4 } },
    { selector: ".later", style: { visibility: "hidden", events: "no" } },
  ];
}

/* Where the label of a node or an edge lies, in the drawing's coordinates; ``drawn``: as it was drawn
   last, which costs less than to measure it as it is to be drawn next. */
function labelBox(element, drawn = false) {
  return element.boundingBox({ includeNodes: false, includeEdges: false, includeLabels: true, includeOverlays: false, includeUnderlays: false, useCache: drawn });
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

/* How far a node with its label reaches to the left and to the right, wherever the label stands now. */
export function reach(node, beside) {
  const label = labelBox(node).w;
  const half = node.width() / 2;
  return ownSide(node, beside) === "right" ? { left: half, right: half + label } : { left: label / 2, right: label / 2 };
}

function meets(box, other) {
  return box.x1 < other.x2 && other.x1 < box.x2 && box.y1 < other.y2 && other.y1 < box.y2;
}

/* Lets each label stand where it lies on no node and no label of a more important one: of where the
   drawing begins, of the path's entities and chunks, of who has most edges. One that has no such
   place is muted, unless what is in its way is far less important, and drawn below it. What edges say
   is hushed where it would lie on any of these, unless one is looked at. */
export function placeLabels(cy, beside) {
  const weight = (node) => 1000 * node.hasClass("root") + 500 * (node.hasClass("on-path") && node.data("kind") !== "sentence") + node.degree();
  const waiting = cy.nodes().not(".later").sort((a, b) => weight(b) - weight(a));
  const bodies = waiting.map((node) => ({ node, ...node.boundingBox({ includeLabels: false, includeEdges: false, includeUnderlays: false }) }));
  const view = cy.extent();
  const isSeen = (box) => view.x1 < box.x1 && box.x2 < view.x2 && view.y1 < box.y1 && box.y2 < view.y2;
  const taken = [];
  const places = new Map();
  for (const node of waiting) {
    const { w, h } = labelBox(node, true);
    const { x, y } = node.position();
    const boxOn = (side) => {
      const [middle, height] = [x + (SIDES[side].x * (node.width() + w)) / 2, y + (SIDES[side].y * (node.height() + h)) / 2];
      return { x1: middle - w / 2, x2: middle + w / 2, y1: height - h / 2, y2: height + h / 2 };
    };
    const hasRoom = (box, least = -Infinity) => !taken.some((other) => meets(box, other)) && !bodies.some((body) => body.node !== node && meets(box, body) && weight(body.node) >= least);
    const own = ownSide(node, beside);
    const side = [own, ...Object.keys(SIDES)].find((one) => (one === own || isSeen(boxOn(one))) && hasRoom(boxOn(one)));
    const place = side ?? (hasRoom(boxOn(own), weight(node) - 250) ? own : null);
    if (place !== null) {
      taken.push(boxOn(place));
      places.set(node, place);
    }
  }
  cy.batch(() => {
    cy.nodes().removeClass(["mute", ...ON_SIDE]);
    waiting.forEach((node) => void node.addClass(places.has(node) ? `label-${places.get(node)}` : "mute"));
  });
  hushEdges(cy, [...bodies, ...taken]);
}

function hushEdges(cy, taken) {
  const order = (edge) => 2 * edge.hasClass("chosen") + edge.hasClass("on-path");
  const hushed = new Set();
  for (const edge of cy.edges(".near, .lit").filter((one) => one.data("text") && one.visible()).sort((a, b) => order(b) - order(a))) {
    const box = labelBox(edge);
    if (edge.hasClass("chosen") || !taken.some((other) => meets(box, other))) {
      taken.push(box);
    } else {
      hushed.add(edge);
    }
  }
  cy.batch(() => cy.edges().forEach((edge) => void edge.toggleClass("hushed", hushed.has(edge))));
}
