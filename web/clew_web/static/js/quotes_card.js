/* A card of quotes: a list of texts, each with its score and the sentences that it stands on. */
import { frame, passageButton } from "./card_parts.js";
import { make } from "./dom.js";
import { badges, names, reading, scoreShare, scoreTitle, scoreWords, spanParts, textParts } from "./quote_words.js";

const FIRST = 8;

/* In the order given, but what a quote led to comes right after it: {quote, index, depth}. */
function inOrder(quotes, after = null, depth = 0) {
  return quotes.flatMap((quote, index) => (quote.after === after ? [{ quote, index, depth }, ...inOrder(quotes, index, depth + 1)] : []));
}

export function quotesCard(card, cards) {
  return new QuotesCard(card, cards).element;
}

class QuotesCard {
  constructor(card, cards) {
    this.cards = cards;
    this.quotes = card.quotes;
    this.best = Math.max(...card.quotes.map((quote) => quote.score ?? -Infinity));
    const total = card.quotes.length + card.left_out;
    this.list = make("ol", { class: "plain evidence quotes" });
    this.element = frame(card, `${total} in all`, this.list);
    const items = inOrder(card.quotes).map((one) => this.item(one));
    this.list.append(...items);
    if (items.length > FIRST) {
      this.fold(items.slice(FIRST), items.length);
    }
    if (card.left_out > 0) {
      this.element.append(make("p", { class: "small soft" }, `${card.left_out === 1 ? "1 more is" : `${card.left_out} more are`} not listed.`));
    }
  }

  /* Hides the last ones behind a button. */
  fold(items, total) {
    items.forEach((item) => item.setAttribute("hidden", ""));
    const all = make("button", { class: "button button-small", type: "button" }, `Show all ${total}`);
    const row = make("li", { class: "quotes-more" }, all);
    all.addEventListener("click", () => {
      items.forEach((item) => item.removeAttribute("hidden"));
      row.remove();
      items[0].querySelector("summary").focus();
    });
    this.list.append(row);
  }

  /* The ids and names of what a quote is about, and of what led to it. */
  about(quote) {
    const before = quote.after === null ? { ids: [], names: [] } : this.about(this.quotes[quote.after]);
    const spans = quote.spans.flatMap((span) => [span.chunk_id, span.sentence_id]);
    return { ids: [...before.ids, ...quote.chunk_ids, ...spans], names: [...before.names, ...names(quote)] };
  }

  item({ quote, index, depth }) {
    const about = this.about(quote);
    const keep = make("button", { class: "button button-small", type: "button", "aria-pressed": "false" }, "Show in the drawing");
    keep.addEventListener("click", () => this.cards.keep(keep, about));
    const details = make(
      "details",
      { class: "passage quote", "data-quote": index },
      make("summary", {}, make("span", { class: "rank" }, `${index + 1}.`), this.heading(quote)),
      make("div", { class: "quote-body" }, ...this.body(quote), make("div", {}, keep)),
    );
    details.open = index === 0;
    const item = make("li", {}, details);
    item.style.marginLeft = `${1.5 * Math.min(depth, 3)}rem`;
    this.cards.lightWhileIn(item, about);
    return item;
  }

  heading(quote) {
    const facts = [];
    if (quote.score !== null) {
      const bar = make("i");
      bar.style.width = `${100 * scoreShare(quote, this.best)}%`;
      facts.push(make("span", { class: "score", title: scoreTitle(quote) }, make("span", { class: "score-bar", "aria-hidden": "true" }, bar), scoreWords(quote)));
    }
    if (quote.after !== null) {
      facts.push(make("span", { class: "badge" }, `from ${quote.after + 1}.`));
    }
    facts.push(...badges(quote).map((tag) => make("span", { class: "badge badge-entity" }, tag)));
    if (reading(quote)?.words) {
      facts.push(make("span", { class: "small soft" }, reading(quote).words));
    }
    return make("span", { class: "heading" }, make("span", { class: "quote-words", dir: "auto" }, ...textParts(quote)), make("span", { class: "row quote-facts" }, ...facts));
  }

  body(quote) {
    const parts = [
      reading(quote)?.long && make("p", { class: "small soft" }, reading(quote).long),
      make("ul", { class: "plain quote-spans" }, ...quote.spans.map((span) => this.span(quote, span))),
    ].filter(Boolean);
    const passages = this.cards.passages;
    if (passages === null) {
      return parts; // which of its passages are evidence is not known yet
    }
    const shown = new Set(quote.spans.map((span) => span.chunk_id));
    const more = quote.chunk_ids.filter((id) => !shown.has(id) && passages.has(id));
    const lower = quote.chunk_ids.filter((id) => !passages.has(id)).length;
    if (more.length > 0) {
      parts.push(make("p", { class: "small row" }, "Also in", ...more.map((id) => passageButton(this.cards, id, ""))));
    }
    if (lower > 0) {
      parts.push(make("p", { class: "small soft" }, `It also led to ${lower === 1 ? "1 passage" : `${lower} passages`} that ranked below the evidence.`));
    }
    return parts;
  }

  span(quote, span) {
    const passages = this.cards.passages;
    const words = make("q", { dir: "auto" }, ...spanParts(quote, span));
    if (passages === null) {
      return make("li", {}, words);
    }
    const passage = passages.has(span.chunk_id)
      ? passageButton(this.cards, span.chunk_id, span.text)
      : make("span", { class: "small soft" }, "in a passage below the evidence");
    return make("li", {}, words, " ", passage);
  }
}
