/* A drawn graph as a file. */

const KEYS = { node: ["label", "kind", "type"], edge: ["kind", "text"] };

const escaped = (text) => String(text).replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

function data(element, owner) {
  return KEYS[owner].map((key) => `<data key="${owner}-${key}">${escaped(element[key])}</data>`).join("");
}

/* Returns GraphML of {nodes: [{id, kind, type, label}], edges: [{source, target, kind, text}]}. */
export function graphml({ nodes, edges }) {
  const keys = Object.entries(KEYS).flatMap(([owner, names]) => names.map((name) => `<key id="${owner}-${name}" for="${owner}" attr.name="${name}" attr.type="string"/>`));
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<graphml xmlns="http://graphml.graphdrawing.org/xmlns">`,
    ...keys,
    `<graph id="clew" edgedefault="directed">`,
    ...nodes.map((node) => `<node id="${escaped(node.id)}">${data(node, "node")}</node>`),
    ...edges.map((edge, number) => `<edge id="e${number}" source="${escaped(edge.source)}" target="${escaped(edge.target)}">${data(edge, "edge")}</edge>`),
    `</graph>`,
    `</graphml>`,
  ].join("\n");
}

/* Lets the browser save text, or a blob, as a file. */
export function save(name, type, content) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
