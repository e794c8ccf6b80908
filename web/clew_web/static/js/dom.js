/* Makes elements. Text is only ever text: nothing from a document becomes HTML. */

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) {
      continue;
    }
    if (name.startsWith("on")) {
      element.addEventListener(name.slice(2), value);
    } else {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

export function makeSvg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

export function problem(error) {
  return make(
    "div",
    { class: "notice notice-bad", role: "alert" },
    make("strong", {}, error.message),
    error.remedy ? make("p", {}, error.remedy) : null,
  );
}

/* An error in one line: what went wrong, and what to do next. */
export function errorWords(error) {
  return [error.message, error.remedy].filter(Boolean).join(" ");
}

/* The same as a paragraph that is read aloud. */
export function errorLine(error) {
  return make("p", { class: "error-text", role: "alert" }, errorWords(error));
}

/* Does ``work`` and holds its button until that has ended: pressed again meanwhile it does nothing. */
export async function once(button, work) {
  if (button.ariaDisabled === "true") {
    return;
  }
  button.ariaDisabled = "true"; // not disabled, which would take the focus away
  try {
    await work();
  } finally {
    button.ariaDisabled = null;
  }
}

/* Splits text around the first place where the quote stands, white space aside. */
export function marked(text, quote) {
  const pattern = (quote ?? "").trim().split(/\s+/).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const found = pattern[0] ? new RegExp(pattern.join("\\s+")).exec(text) : null;
  if (!found) {
    return [document.createTextNode(text)];
  }
  return [
    document.createTextNode(text.slice(0, found.index)),
    make("mark", {}, found[0]),
    document.createTextNode(text.slice(found.index + found[0].length)),
  ];
}
