/* The drawing by keyboard and for screen readers: every node a button that lies over it. One of
   them is in the order of Tab; arrows lead to the next node in their direction. */
import { make } from "./dom.js";
import { keepInside } from "./graph_look.js";

const ARROWS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
const LEAST_SIZE = 20;

export class GraphKeys {
  /* ``describe(node)``: a node in words; ``choose(id)``: it was pressed. */
  constructor(cy, describe, choose) {
    this.cy = cy;
    this.describe = describe;
    this.buttons = new Map();
    this.element = make("div", { class: "graph-keys" });
    cy.on("render", () => this.place());
    this.element.addEventListener("click", (event) => choose(event.target.dataset.node));
    this.element.addEventListener("keydown", (event) => this.press(event));
    this.element.addEventListener("focusin", (event) => this.focused(event.target.dataset.node));
    this.element.addEventListener("focusout", () => {
      cy.nodes(".focused").removeClass("focused");
      keepInside(cy);
    });
  }

  /* Takes the nodes that are shown now. */
  update() {
    const shown = this.cy.nodes().not(".later");
    const ids = new Set(shown.map((node) => node.id()));
    for (const [id, button] of this.buttons) {
      if (!ids.has(id)) {
        button.remove();
        this.buttons.delete(id);
      }
    }
    shown.forEach((node) => {
      if (!this.buttons.has(node.id())) {
        const button = make("button", { type: "button", tabindex: "-1", "data-node": node.id() });
        this.buttons.set(node.id(), button);
        this.element.append(button);
      }
      this.buttons.get(node.id()).setAttribute("aria-label", this.describe(node));
    });
    if (!this.buttons.has(this.current)) {
      const first = shown.filter(".on-path")[0] ?? shown[0];
      this.current = first?.id();
    }
    this.buttons.get(this.current)?.setAttribute("tabindex", "0");
    this.place();
  }

  place() {
    for (const [id, button] of this.buttons) {
      const node = this.cy.getElementById(id);
      const { x, y } = node.renderedPosition();
      const width = Math.max(node.renderedWidth() + 8, LEAST_SIZE);
      const height = Math.max(node.renderedHeight() + 8, LEAST_SIZE);
      button.style.width = `${width}px`;
      button.style.height = `${height}px`;
      button.style.transform = `translate(${x - width / 2}px, ${y - height / 2}px)`;
    }
  }

  press(event) {
    const direction = ARROWS[event.key];
    if (!direction || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    event.preventDefault();
    const next = this.nearest(this.cy.getElementById(this.current), direction);
    if (next) {
      this.buttons.get(next.id()).focus({ preventScroll: true });
    }
  }

  /* The next node that way; what lies aside counts double, so that arrows keep their line. */
  nearest(node, [right, down]) {
    const from = node.renderedPosition();
    let best = null;
    let least = Infinity;
    for (const id of this.buttons.keys()) {
      const other = this.cy.getElementById(id);
      const to = other.renderedPosition();
      const ahead = (to.x - from.x) * right + (to.y - from.y) * down;
      const aside = Math.abs((to.x - from.x) * down) + Math.abs((to.y - from.y) * right);
      if (ahead > 0 && aside <= 2 * ahead && ahead + 2 * aside < least) {
        least = ahead + 2 * aside;
        best = other;
      }
    }
    return best;
  }

  focused(id) {
    this.buttons.get(this.current)?.setAttribute("tabindex", "-1");
    this.current = id;
    this.buttons.get(id).setAttribute("tabindex", "0");
    this.cy.nodes(".focused").removeClass("focused");
    const node = this.cy.getElementById(id).addClass("focused");
    const { x, y } = node.renderedPosition();
    if (x < 0 || y < 0 || x > this.cy.width() || y > this.cy.height()) {
      this.cy.center(node);
    }
    keepInside(this.cy);
  }
}
