// The question-by-question view. Texts of the run are only ever set as text, never as markup.
"use strict";
(() => {
  const theme = new URLSearchParams(location.search).get("theme");
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;

  const data = JSON.parse(document.getElementById("run-data").textContent);
  const view = document.getElementById("question-view");
  const PAGE = 50;
  const CELLS = 6;
  const MARKS = {
    right: ["✓", "answer right"],
    partly: ["≈", "answer shares words with the right one"],
    wrong: ["✗", "answer wrong"],
    none: ["∅", "says that the evidence does not say"],
  };

  function el(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === true) element.setAttribute(name, "");
      else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
    }
    element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ""));
    return element;
  }

  function marker(place) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("class", "marker");
    svg.setAttribute("aria-hidden", "true");
    const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
    use.setAttribute("href", `#marker-${place}`);
    svg.append(use);
    return svg;
  }

  const strategyName = (place) => el("span", { class: "strategy" }, marker(place), data.strategies[place]);
  const titles = new Map(data.chunks.filter((chunk) => chunk[1]).map((chunk) => [chunk[0], chunk[1]]));
  const titleOf = (key) => titles.get(key) || key;
  const ms = (value) => (value >= 1000 ? `${(value / 1000).toFixed(1)} s` : value < 10 ? `${value.toFixed(1)} ms` : `${Math.round(value)} ms`);
  const plural = (number, one) => `${number.toLocaleString("en")} ${one}${number === 1 ? "" : "s"}`;

  // what is asked of every question: which strategies have all its gold in the first k
  const questions = data.questions.map((question, place) => ({
    ...question,
    place,
    gold: question.g || [],
    text: [question.id, question.q, ...(question.a || []), ...(question.g || []).map(titleOf)].join(" ").toLowerCase(),
  }));
  const state = { text: "", type: "", hops: "", k: String(data.cuts.includes(5) ? 5 : data.cuts.at(-1) || 1), show: "all", by: "", not: "", sort: "set", shown: PAGE };
  const opened = new Set();

  const hits = (outcome, k) => ((outcome && outcome.g) || []).filter((rank) => rank > 0 && rank <= k).length;
  const complete = (question, place, k) => question.gold.length > 0 && hits(question.o[place], k) === question.gold.length;
  const recall = (question, place, k) => (question.gold.length ? hits(question.o[place], k) / question.gold.length : 0);
  const every = data.strategies.map((_, place) => place);
  const asked = (question) => every.filter((place) => question.o[place]);
  const wrong = (outcome) => Boolean(outcome && (outcome.e || (outcome.m && outcome.m !== "right")));
  const right = (outcome) => Boolean(outcome && outcome.m === "right");

  const SHOW = {
    all: ["All questions", () => true],
    disagree: ["Strategies disagree on the gold", (q, k) => q.gold.length > 0 && new Set(asked(q).map((s) => complete(q, s, k))).size > 1],
    missed: ["No strategy has all gold", (q, k) => q.gold.length > 0 && !every.some((s) => complete(q, s, k))],
    found: ["Every strategy has all gold", (q, k) => q.gold.length > 0 && asked(q).every((s) => complete(q, s, k))],
    ...(data.reader && {
      answers: ["Strategies disagree on the answer", (q) => q.o.some(right) && q.o.some(wrong)],
      wrong: ["No strategy answers right", (q) => q.o.some(wrong) && !q.o.some(right)],
      unread: ["All gold found, answer wrong", (q, k) => every.some((s) => complete(q, s, k) && wrong(q.o[s]))],
    }),
    failed: ["A strategy failed", (q) => q.o.some((o) => o && o.e)],
  };
  const mean = (values) => (values.length ? values.reduce((a, b) => a + b, 0) / values.length : 0);
  const spread = (q, k) => {
    const values = asked(q).map((s) => recall(q, s, k) + (right(q.o[s]) ? 0.001 : 0));
    return values.length ? Math.max(...values) - Math.min(...values) : 0;
  };
  const slowest = (q) => Math.max(0, ...q.o.map((o) => (o && o.ms) || 0));
  const SORT = {
    set: ["In the order of the set", null],
    hard: ["Least found first", (q, k) => (q.gold.length ? mean(asked(q).map((s) => recall(q, s, k))) : 2)],
    spread: ["Greatest disagreement first", (q, k) => -spread(q, k)],
    slow: ["Slowest first", (q) => -slowest(q)],
  };

  function chosen() {
    const k = Number(state.k);
    const words = state.text.toLowerCase().split(/\s+/).filter(Boolean);
    const kept = questions.filter(
      (q) =>
        words.every((word) => q.text.includes(word)) &&
        (!state.type || q.t === state.type) &&
        (!state.hops || String(q.h) === state.hops) &&
        SHOW[state.show][1](q, k) &&
        (!state.by || complete(q, Number(state.by), k)) &&
        (!state.not || (q.gold.length > 0 && !complete(q, Number(state.not), k))),
    );
    const by = SORT[state.sort][1];
    if (by) {
      const weight = new Map(kept.map((q) => [q, by(q, k)]));
      kept.sort((a, b) => weight.get(a) - weight.get(b) || a.place - b.place);
    }
    return kept;
  }

  function cell(question, place) {
    const outcome = question.o[place];
    const k = Number(state.k);
    const name = el("span", { class: "name", "aria-hidden": "true" }, strategyName(place));
    if (!outcome) return el("td", { role: "cell" }, el("div", { class: "found" }, name, el("span", { class: "soft" }, "not asked")));
    if (outcome.e) return el("td", { role: "cell" }, el("div", { class: "found" }, name, el("span", { class: "badge badge-bad", title: outcome.e }, "failed")));
    const parts = [];
    const ranks = outcome.g || [];
    const words = [];
    if (ranks.length) {
      const said = ranks.map((rank) => rank || "not found").join(", ");
      words.push(`gold at rank ${said}`);
      if (ranks.length <= CELLS) {
        ranks.forEach((rank, index) => parts.push(rankCell(rank, k, titleOf(question.gold[index]))));
      } else {
        const inside = hits(outcome, k);
        parts.push(el("span", { class: `rank ${inside === ranks.length ? "in" : inside ? "deep" : "miss"}`, "aria-hidden": "true" }, `${inside}/${ranks.length}`));
      }
    }
    if (outcome.m) {
      const [sign, meaning] = MARKS[outcome.m];
      words.push(meaning);
      parts.push(el("span", { class: `mark ${outcome.m}`, title: `${meaning}: ${(outcome.a && outcome.a.s) || "–"}`, "aria-hidden": "true" }, sign));
    }
    return el("td", { role: "cell" }, el("div", { class: "found" }, name, parts, el("span", { class: "unseen" }, words.join("; ") || "nothing to score")));
  }

  function rankCell(rank, k, title) {
    const kind = !rank ? "miss" : rank <= k ? "in" : "deep";
    return el("span", { class: `rank ${kind}`, title: `${title}: ${rank ? `rank ${rank}` : `not in the first ${data.depth}`}`, "aria-hidden": "true" }, rank ? String(rank) : "–");
  }

  function row(question) {
    const id = `detail-${question.place}`;
    const notes = [question.t, question.h ? plural(question.h, "hop") : null, question.un ? "the documents do not say" : null].filter(Boolean);
    const button = el("button", { class: "open", type: "button", "aria-expanded": "false", "aria-controls": id }, el("span", {}, question.q), notes.length ? el("small", {}, notes.join(" · ")) : null);
    const line = el("tr", { class: "row", role: "row" }, el("th", { class: "asked", scope: "row", role: "rowheader" }, button), every.map((place) => cell(question, place)));
    const below = el("tr", { class: "detail", id, role: "row", hidden: true }, el("td", { role: "cell", colspan: String(every.length + 1) }));
    const toggle = (open) => {
      if (open && !below.firstChild.firstChild) below.firstChild.append(detail(question));
      below.hidden = !open;
      button.setAttribute("aria-expanded", String(open));
      opened[open ? "add" : "delete"](question.place);
    };
    button.addEventListener("click", () => toggle(below.hidden));
    if (opened.has(question.place)) toggle(true);
    return [line, below];
  }

  function detail(question) {
    const box = el("div", { class: "detail-box" });
    const list = (label, items) => box.append(el("div", { class: "gold-list" }, el("strong", {}, label), items));
    if (question.un) list("Right answer", [el("span", { class: "badge badge-good" }, "that the documents do not say")]);
    if ((question.a || []).length) list("Right answer", question.a.map((text) => el("span", { class: "badge badge-good" }, text)));
    if ((question.l || []).length) list("To choose from", question.l.map((text) => el("span", { class: "badge" }, text)));
    if (question.gold.length) list("Gold", question.gold.map((key) => el("span", { class: "badge badge-entity" }, titleOf(key))));
    (question.gp || []).slice(0, 3).forEach((path) => list("Gold path", [el("span", {}, path.map(titleOf).join(" → "))]));
    box.append(el("p", { class: "small soft" }, "Id ", el("code", {}, question.id)));
    box.append(el("div", { class: "sides", tabindex: "0", role: "group", "aria-label": "What each strategy found" }, every.map((place) => side(question, place))));
    return box;
  }

  function side(question, place) {
    const outcome = question.o[place];
    const box = el("section", { class: "side", "aria-label": data.strategies[place] });
    box.append(el("h4", {}, strategyName(place), outcome && !outcome.e ? el("span", { class: "soft small" }, ms(outcome.ms || 0)) : null));
    if (!outcome) box.append(el("p", { class: "soft" }, "It was not asked this question."));
    else if (outcome.e) box.append(el("p", { class: "error" }, `It failed: ${outcome.e}`));
    else {
      if (outcome.a) box.append(answer(outcome));
      (outcome.n || []).forEach((notice) => box.append(el("p", { class: "soft" }, notice)));
      if (outcome.v && outcome.v.length) box.append(el("p", { class: "error" }, `Cited, but not in the graph: ${outcome.v.join(", ")}`));
      if (outcome.j) box.append(judged(outcome.j));
      box.append(ranking(question, outcome));
      if ((outcome.sd || []).length) box.append(part("Started from", el("div", { class: "tags" }, outcome.sd.map((name) => el("span", { class: "badge badge-entity" }, name)))));
      if ((outcome.p || []).length) box.append(folded("First paths", outcome.p.map(pathList)));
      box.append(folded("Steps", steps(outcome)));
    }
    return box;
  }

  const part = (title, ...content) => el("div", {}, el("h5", {}, title), content);
  const folded = (title, ...content) => el("details", {}, el("summary", {}, title), content);

  function answer(outcome) {
    const said = outcome.a;
    const mark = outcome.m && MARKS[outcome.m];
    return part(
      "Answer",
      el("p", { class: "short" }, said.no ? "The evidence does not say." : said.s || said.t || "–", mark ? el("span", { class: `mark ${outcome.m}`, title: mark[1] }, ` ${mark[0]}`, el("span", { class: "unseen" }, mark[1])) : null),
      said.t && said.t !== said.s ? folded("In full", el("p", {}, said.t)) : null,
      el("p", { class: "soft" }, [outcome.f !== undefined ? `F1 ${outcome.f.toFixed(2)}` : null, `confidence ${Math.round((said.c || 0) * 100)} %`, outcome.ams !== undefined ? ms(outcome.ams) : null, outcome.u ? `${plural(outcome.u[0], "call")}, ${outcome.u[1]} tokens in, ${outcome.u[2]} out` : null, said.dc ? `${plural(said.dc, "citation")} dropped` : null].filter(Boolean).join(" · ")),
    );
  }

  function judged(marks) {
    if (marks.error) return el("p", { class: "error" }, `The judge: ${marks.error}`);
    return el("p", { class: "soft" }, `Judge: ${Object.entries(marks).map(([name, mark]) => `${name} ${mark}`).join(", ")}`);
  }

  function ranking(question, outcome) {
    const order = outcome.r || [];
    const first = Math.max(data.read, 5);
    const cited = new Set((outcome.a && outcome.a.ci) || []);
    const misquoted = new Set((outcome.a && outcome.a.mq) || []);
    const gold = new Set(question.gold);
    const items = order.map((chunk, index) => {
      const [key, title, text] = data.chunks[chunk];
      const rank = outcome.k ? outcome.k[index] : index + 1;
      const again = index > 0 && outcome.k && outcome.k.indexOf(rank) < index;
      const tags = [gold.has(key) ? el("span", { class: "tag" }, "GOLD") : null, cited.has(chunk) ? el("span", { class: "tag cited" }, "CITED") : null, misquoted.has(chunk) ? el("span", { class: "tag bad" }, "MISQUOTED") : null].filter(Boolean);
      return el("li", { class: `chunk${gold.has(key) ? " gold" : ""}` }, el("div", { class: "chunk-head" }, el("span", {}, `${rank}${again ? " (again)" : ""}. ${title || key}`), el("span", { class: "score" }, String(outcome.s[index]))), tags.length ? el("span", { class: "tags" }, tags) : null, text ? el("p", {}, text) : null);
    });
    if (!items.length) return part("Ranking", el("p", { class: "soft" }, "It found nothing."));
    const rest = items.slice(first);
    const hidden = rest.filter((item) => item.classList.contains("gold")).length;
    return part(
      "Ranking",
      el("ol", { class: "chunks" }, items.slice(0, first)),
      rest.length ? folded(`${first + 1} to ${items.length}${hidden ? `, with ${hidden} gold` : ""}`, el("ol", { class: "chunks" }, rest)) : null,
    );
  }

  function pathList([nodes, kinds, edges]) {
    const items = [];
    nodes.forEach((node, index) => {
      items.push(el("li", { class: `node${kinds[index] ? "" : " is-chunk"}` }, data.texts[node]));
      if (index < edges.length && data.texts[edges[index]]) items.push(el("li", { class: "edge" }, data.texts[edges[index]]));
    });
    return el("ol", { class: "path" }, items);
  }

  function steps(outcome) {
    const line = ([name, spent]) => el("tr", {}, el("th", { scope: "row" }, data.texts[name]), el("td", {}, ms(spent)));
    const body = [...(outcome.st || []).map(line)];
    if (outcome.ams !== undefined) body.push(el("tr", {}, el("th", { scope: "row" }, el("strong", {}, "answer")), el("td", {}, ms(outcome.ams))), ...(outcome.ast || []).map(line));
    return body.length ? el("table", { class: "step-list" }, el("tbody", {}, body)) : el("p", { class: "soft" }, "It left no trace.");
  }

  // controls
  const select = (name, label, options) => {
    const input = el("select", { name, id: `by-${name}` }, options.map(([value, text]) => el("option", { value, selected: String(value) === state[name] }, text)));
    return el("div", { class: "control" }, el("label", { for: `by-${name}` }, label), input);
  };
  const distinct = (values) => [...new Set(values.filter((value) => value !== undefined))].sort((a, b) => (a > b ? 1 : -1));
  const types = distinct(questions.map((q) => q.t));
  const hops = distinct(questions.map((q) => q.h));
  const names = data.strategies.map((name, place) => [String(place), name]);
  const gold = questions.some((q) => q.gold.length);
  const search = el("input", { type: "search", name: "text", id: "by-text", autocomplete: "off", placeholder: "words of question, answer or gold" });
  const controls = el(
    "form",
    { class: "controls", role: "search", "aria-label": "Filter the questions" },
    el("div", { class: "control wide" }, el("label", { for: "by-text" }, "Search"), search),
    select("show", "Show", Object.entries(SHOW).map(([value, [label]]) => [value, label])),
    types.length > 1 ? select("type", "Type", [["", "any"], ...types.map((type) => [type, type])]) : null,
    hops.length > 1 ? select("hops", "Hops", [["", "any"], ...hops.map((number) => [String(number), String(number)])]) : null,
    gold ? [select("k", "Found means in the first", data.cuts.map((k) => [String(k), String(k)])), select("by", "Found by", [["", "any"], ...names]), select("not", "Missed by", [["", "any"], ...names])] : null,
    select("sort", "Sort", Object.entries(SORT).map(([value, [label]]) => [value, label])),
  );
  const count = el("p", { class: "small soft", role: "status" });
  const body = el("tbody", { role: "rowgroup" });
  const table = el(
    "table",
    { class: "questions", role: "table", "aria-label": "Questions" },
    el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, el("th", { scope: "col", role: "columnheader" }, "Question"), every.map((place) => el("th", { scope: "col", role: "columnheader" }, strategyName(place))))),
    body,
  );
  const more = el("button", { class: "button", type: "button" }, `Show ${PAGE} more`);
  const example = (kind, text, meaning) => el("span", {}, el("span", { class: kind }, text), meaning);
  const inFirst = example("rank in", "3", "");
  const key = el("p", { class: "key" }, gold ? [inFirst, example("rank deep", "12", "gold found, but later"), example("rank miss", "–", `not in the first ${data.depth}`)] : null, data.reader ? Object.entries(MARKS).map(([mark, [sign, meaning]]) => example(`mark ${mark}`, sign, meaning)) : null);

  let kept = [];
  function update() {
    kept = chosen();
    state.shown = PAGE;
    inFirst.replaceChildren(el("span", { class: "rank in" }, "3"), `rank of a gold ${data.unit} within the first ${state.k}`);
    body.replaceChildren(...kept.slice(0, PAGE).flatMap(row));
    tell();
  }
  function tell() {
    const shown = Math.min(state.shown, kept.length);
    count.textContent = kept.length ? `${plural(kept.length, "question")} of ${questions.length.toLocaleString("en")}${shown < kept.length ? `; the first ${shown} are shown` : ""}` : "No question is like that.";
    more.hidden = shown >= kept.length;
  }
  more.addEventListener("click", () => {
    const next = kept.slice(state.shown, state.shown + PAGE);
    const rows = next.flatMap(row);
    body.append(...rows);
    state.shown += next.length;
    tell();
    rows[0].querySelector("button").focus();
  });
  controls.addEventListener("submit", (event) => event.preventDefault());
  let waiting = 0;
  controls.addEventListener("input", (event) => {
    state[event.target.name] = event.target.value;
    clearTimeout(waiting);
    waiting = setTimeout(update, event.target === search ? 120 : 0);
  });
  view.append(controls, key, el("div", { class: "scroll" }, table), el("div", { class: "more" }, count, more));
  update();
})();
