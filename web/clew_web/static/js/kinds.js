/* The kinds of entities, as the pages name them: GPE is a place. */
const names = JSON.parse(document.getElementById("kinds").dataset.kinds);

export function kindOf(type) {
  return names[type] ?? type.toLowerCase();
}
