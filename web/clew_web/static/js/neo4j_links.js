/* Links to Neo4j Bloom and Neo4j Browser, where a name or passages are looked at with those. */
import { make } from "./dom.js";

const MOST_PASSAGES = 20;

/* A text as Cypher reads it. The Browser takes its address apart after it has decoded all of it, so
   that these signs would end the query. */
function quoted(text) {
  return JSON.stringify(text).replace(/[&#]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
}

export class Neo4jLinks {
  constructor() {
    Object.assign(this, JSON.parse(document.getElementById("neo4j-tools").dataset.neo4j));
    const link = (words) => make("a", { class: "button button-small", target: "_blank", rel: "noopener" }, words);
    this.bloom = link("Open in Bloom");
    this.browser = link("Open in Browser");
  }

  /* Lets them lead to what is said of ``name``, or else to what these passages support; to the page
     that tells of both tools where there is neither, or the tool's address is not known. */
  lead(name, passages = []) {
    const ids = passages.slice(0, MOST_PASSAGES).join(",");
    const [query, phrase] = name
      ? [this.queries.name.replaceAll("$name", () => quoted(name)), `What is said of ${name}`]
      : [this.queries.passages.replaceAll("$passages", () => quoted(ids)), `What supports ${ids}`];
    const address = (tool, parameters) => (tool && (name || ids) ? `${tool}?${new URLSearchParams(parameters)}` : this.help);
    this.bloom.href = address(this.tools.bloom, { perspective: this.tools.perspective, search: phrase, run: "true" });
    this.browser.href = address(this.tools.browser, { cmd: "edit", arg: query });
  }
}

/* on the page of an entity */
const place = document.querySelector("[data-neo4j-name]");
if (place) {
  const links = new Neo4jLinks();
  links.lead(place.dataset.neo4jName);
  place.append(links.bloom, links.browser);
}
