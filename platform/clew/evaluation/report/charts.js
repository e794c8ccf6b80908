// Draws the charts of charts.py with Observable Plot. Colours are variables of report.css, so that
// light, dark and paper need no second drawing; texts of the run are only ever set as text.
"use strict";
(() => {
  const SYMBOLS = ["circle", "square", "triangle", "diamond", "star", "cross", "wye"];
  const COLOURS = 10; // seven shapes and ten colours: 70 strategies stay distinct
  const symbol = (point) => SYMBOLS[point.s % SYMBOLS.length];
  const colour = (point) => `var(--s${point.s % COLOURS})`;
  const short = (text, most = 26) => (text.length <= most ? text : `${text.slice(0, most - 1)}…`);
  const margin = (texts, most) => 14 + 6.4 * Math.max(...texts.map((text) => Math.min(most, text.length)));
  const distinct = (points, key) => [...new Set(points.map((point) => point[key]))];
  const frame = { stroke: "var(--line-strong)" };

  // the symbols that legends and tables show beside a strategy's name
  document.querySelectorAll(".symbols symbol").forEach((element, s) => {
    const type = d3[`symbol${symbol({ s })[0].toUpperCase()}${symbol({ s }).slice(1)}`];
    d3.select(element).append("path").attr("d", d3.symbol(type, 60)()).style("fill", colour({ s }));
  });

  const dots = (points, options) => Plot.dot(points, { fill: colour, stroke: "var(--surface)", strokeWidth: 0.7, symbol, r: 4, title: "tip", ariaLabel: "tip", tip: true, ...options });
  const PAINT = {
    curves({ points }) {
      const cuts = distinct(points, "k");
      const strategies = distinct(points, "s").length;
      // side by side, or equal values would hide each other
      const aside = Math.min(0.05, 0.25 / strategies);
      const x = (point) => cuts.indexOf(point.k) + aside * (point.s - (strategies - 1) / 2);
      return {
        x: { domain: [-0.3, cuts.length - 0.7], ticks: d3.range(cuts.length), tickFormat: (place) => cuts[place] },
        y: { domain: [0, 1], grid: true, label: null, tickSize: 0 },
        marks: [
          Plot.areaY(points, { x, y1: "low", y2: "high", z: "s", fill: colour, fillOpacity: 0.08 }),
          Plot.lineY(points, { x, y: "value", z: "s", stroke: colour, strokeWidth: 1.6 }),
          dots(points, { x, y: "value" }),
        ],
      };
    },
    times({ points, axis }) {
      const [low, high] = [d3.min(points, (point) => point.ms), d3.max(points, (point) => point.until)];
      const round = d3.range(-4, 8).flatMap((power) => [1, 2, 5].map((digit) => digit * 10 ** power)).filter((ms) => low <= ms && ms <= high);
      // where little is in view: finer ones, which a logarithmic axis leaves without labels
      const ticks = high < 6 * low ? d3.ticks(low, high, 4) : round.filter((_, place) => place % Math.ceil(round.length / 7) === 0);
      return {
        // a single point has an axis too
        x: { type: "log", domain: [low / 1.05, high * 1.05] },
        y: { domain: [Math.max(0, d3.min(points, (point) => point.low) - 0.04), Math.min(1, d3.max(points, (point) => point.high) + 0.04)], grid: true, label: null, ticks: 5, tickSize: 0 },
        inset: 10,
        marks: [
          Plot.gridX(ticks),
          Plot.axisX(ticks, { text: (ms) => String(Number(ms.toPrecision(3))), tickSize: 0, label: axis, labelAnchor: "center", labelArrow: "none" }),
          Plot.ruleX(points, { x: "ms", y1: "low", y2: "high", stroke: colour, strokeOpacity: 0.6 }),
          Plot.ruleY(points, { y: "value", x1: "ms", x2: "until", stroke: colour, strokeOpacity: 0.6 }),
          dots(points, { x: "ms", y: "value", r: 5 }),
        ],
      };
    },
    differences({ points }) {
      const told = (point) => point.told;
      const strong = (options) => ({ filter: told, fontWeight: "bold", fill: "var(--ink)", ...options });
      const weak = (options) => ({ filter: (point) => !point.told, fill: "var(--ink-soft)", ...options });
      const reach = 1.08 * Math.max(0.05, ...points.flatMap((point) => [Math.abs(point.low), Math.abs(point.high)]));
      const words = (text, options) => [strong, weak].map((how) => Plot.text(points, how({ y: "pair", text, dy: -13, ...options })));
      return {
        height: 60 + 36 * points.length,
        marginLeft: 8,
        marginRight: 8,
        x: { domain: [-reach, reach], grid: true, ticks: 5, tickFormat: "+.2~f" },
        y: { type: "point", domain: points.map((point) => point.pair), axis: null, padding: 0.9 },
        marks: [
          Plot.ruleX([0], frame),
          Plot.ruleY(points, { y: "pair", x1: "low", x2: "high", stroke: (point) => (point.told ? "var(--ink)" : "var(--line-strong)"), strokeWidth: (point) => (point.told ? 2 : 1.1) }),
          Plot.dot(points, { x: "x", y: "pair", r: 4, fill: (point) => (point.told ? "var(--accent)" : "var(--surface)"), stroke: (point) => (point.told ? "var(--accent)" : "var(--line-strong)"), strokeWidth: 1.3, title: "tip", ariaLabel: "tip", tip: true }),
          ...words((point) => short(point.pair, 55), { frameAnchor: "left", textAnchor: "start" }),
          ...words("p", { frameAnchor: "right", textAnchor: "end" }),
        ],
      };
    },
    groups({ points }) {
      const groups = distinct(points, "group");
      const strategies = distinct(points, "s");
      const said = new Map(points.map((point) => [point.group, `${short(point.group, 20)}\nn = ${point.n}`]));
      return {
        height: Math.max(150, 40 + (9 * strategies.length + 14) * groups.length),
        marginLeft: margin(groups, 20),
        x: { domain: [0, 1], inset: 6, grid: true },
        y: { type: "point", domain: strategies.sort(d3.ascending), axis: null, padding: 1 },
        fy: { domain: groups, axis: "left", label: null, tickFormat: (group) => said.get(group), padding: 0 },
        marks: [
          Plot.frame({ anchor: "top", stroke: "var(--line)", facet: "exclude" }),
          Plot.ruleX([0], frame),
          Plot.ruleY(points, { fy: "group", y: "s", x1: "low", x2: "high", stroke: colour, strokeOpacity: 0.6 }),
          dots(points, { fy: "group", y: "s", x: "value" }),
        ],
      };
    },
    bars({ points }) {
      const names = distinct(points, "name");
      const ends = d3.rollups(points, (own) => ({ x: d3.sum(own, (point) => point.ms), total: own[0].total }), (point) => point.name);
      return {
        height: 56 + 27 * names.length,
        marginLeft: margin(names, 26),
        marginRight: 52,
        x: { grid: true, nice: true, ticks: 4 },
        y: { domain: names, label: null, tickFormat: (name) => short(name), tickSize: 0, padding: 0.35 },
        marks: [
          Plot.ruleX([0], frame),
          Plot.barX(points, Plot.stackX({ x: "ms", y: "name", order: "fill", fill: (point) => `var(--t${point.fill})`, stroke: "var(--ink-soft)", strokeWidth: 0.5, title: "tip", ariaLabel: "tip", tip: true })),
          Plot.text(ends, { x: ([, end]) => end.x, y: ([name]) => name, text: ([, end]) => end.total, dx: 5, textAnchor: "start" }),
        ],
      };
    },
  };

  const charts = JSON.parse(document.getElementById("chart-data").textContent);
  function draw() {
    for (const chart of charts) {
      const places = document.querySelectorAll(`#chart-${chart.id} .plot`);
      chart.panels.forEach((panel, index) => {
        const { x, ...options } = PAINT[chart.kind](panel);
        const svg = Plot.plot({
          width: Math.min(560, places[index].clientWidth || 380),
          height: 290,
          marginBottom: panel.axis ? 38 : 24,
          style: { fontFamily: "inherit", fontSize: "12px", overflow: "visible" },
          ariaLabel: panel.description,
          x: { label: panel.axis || null, labelAnchor: "center", labelArrow: "none", tickSize: 0, ...x },
          ...options,
        });
        svg.setAttribute("role", "img");
        places[index].replaceChildren(svg);
      });
    }
  }
  draw();
  let width = window.innerWidth;
  let waiting = 0;
  window.addEventListener("resize", () => {
    if (window.innerWidth === width) return;
    width = window.innerWidth;
    clearTimeout(waiting);
    waiting = setTimeout(draw, 150);
  });
})();
