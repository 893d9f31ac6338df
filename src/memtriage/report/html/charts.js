"use strict";
// The charts. They come after the table and apart from it: if they can't be drawn, the table still works.
(async () => {
  const page = await Memtriage.ready;
  if (!page) return;
  const { data, rows, view, names, meanings, el, byId, fill, visible, unique, count, number, percent, slug, swatch, colour, depthName, byK, kText } = page;
  const SYMBOLS = ["circle", "square", "diamond", "triangle-up", "cross", "star", "triangle-down", "pentagon", "hexagon", "x"];
  const DASHES = ["solid", "dash", "dot", "dashdot", "longdash"];
  const systems = data.systems.map(([name]) => name);
  const tasks = unique(rows.map((r) => r.label));
  const ks = unique(rows.map((r) => r.k)).sort(byK);
  const numbered = ks.every((k) => typeof k === "number");
  const hidden = new Set();
  const plots = [];
  let stageK = String(ks[ks.length - 1]);

  // Plotly reads some markup in labels: with < > & as entities a label is only ever text.
  const label = (text, most = 60) => {
    const shown = visible(text).replace(/\n/g, " ");
    const short = shown.length > most ? shown.slice(0, most - 1) + "…" : shown;
    return short.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  };
  const symbol = (system) => SYMBOLS[systems.indexOf(system) % SYMBOLS.length];
  const dash = (system) => DASHES[systems.indexOf(system) % DASHES.length];
  const here = (row) => row.depth === view.depth;

  function css(name) {
    const probe = el("span", { vars: { color: `var(--${name})` } });
    document.body.append(probe);
    const value = getComputedStyle(probe).color;
    probe.remove();
    return value;
  }

  function theme() {
    return { ink: css("ink"), soft: css("soft"), line: css("line"), surface: css("surface"), raised: css("raised"), faint: css("faint"), hatch: css("hatch") };
  }

  function layout(t, more) {
    const axis = { gridcolor: t.line, linecolor: t.line, zeroline: false, tickfont: { size: 12, color: t.soft }, title: { font: { size: 12, color: t.soft }, standoff: 8 }, fixedrange: true, automargin: true, ticklabeloverflow: "allow" };
    const { xaxis, yaxis, ...rest } = more;
    return {
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", showlegend: false, dragmode: false,
      font: { family: getComputedStyle(document.body).fontFamily, color: t.ink, size: 12 },
      margin: { l: 44, r: 10, t: 10, b: 26 }, hovermode: "closest",
      hoverlabel: { bgcolor: t.surface, bordercolor: t.faint, font: { color: t.ink, size: 12.5 }, align: "left" },
      xaxis: { ...axis, ...xaxis, title: { ...axis.title, ...(xaxis.title || {}) } },
      yaxis: { ...axis, ...yaxis, title: { ...axis.title, ...(yaxis.title || {}) } }, ...rest,
    };
  }

  const share = { range: [-0.04, 1.04], tickvals: [0, 0.25, 0.5, 0.75, 1], ticktext: ["0", "25", "50", "75", "100 %"] };
  const whiskers = (list, t) => ({
    type: "data", symmetric: false, thickness: 1.3, width: 3,
    array: list.map((r) => Math.max(0, (r.high ?? r.success) - r.success)),
    arrayminus: list.map((r) => Math.max(0, r.success - (r.low ?? r.success))),
  });
  const interval = (r) => r.low == null ? "" : ` [${percent(r.low)}, ${percent(r.high)}]`;

  // ---- success against k ----------------------------------------------------------------------
  function successFigure(task, t) {
    const mine = rows.filter((r) => r.label === task && here(r));
    const shown = systems.filter((s) => !hidden.has(s));
    const step = Math.min(0.09, 0.5 / Math.max(shown.length, 1));
    const traces = shown.map((system, s) => {
      const list = ks.map((k) => mine.find((r) => r.system === system && r.k === k)).filter((r) => r && r.success != null);
      return {
        type: "scatter", mode: "lines+markers", name: label(system), hoverinfo: "text",
        x: list.map((r) => ks.indexOf(r.k) + (s - (shown.length - 1) / 2) * step), y: list.map((r) => r.success),
        error_y: { ...whiskers(list, t), color: colour(system) },
        line: { color: colour(system), width: 1.8, dash: dash(system) }, marker: { size: 8, symbol: symbol(system), color: colour(system), line: { width: 1, color: t.surface } },
        text: list.map((r) => `<b>${label(system)}</b>, k = ${kText(r.k)}<br>${percent(r.success)}${interval(r)}<br>n = ${number(r.n)}, ${label(depthName(r.depth))}`),
      };
    });
    return { traces, layout: layout(t, { height: 258,
      xaxis: { tickvals: ks.map((_, i) => i), ticktext: ks.map((k) => `k = ${kText(k)}`), range: [-0.45, ks.length - 0.55], showgrid: false }, yaxis: share }) };
  }

  // ---- stages ---------------------------------------------------------------------------------
  function stageFigure(task, t) {
    const mine = systems.map((s) => rows.find((r) => r.label === task && r.system === s && String(r.k) === stageK && here(r))).filter((r) => r && !hidden.has(r.system)).reverse();
    const total = (r) => names.reduce((sum, v) => sum + count(r, v), 0) || 1;
    const traces = names.filter((v) => mine.some((r) => count(r, v))).map((verdict) => ({
      type: "bar", orientation: "h", name: meanings.get(verdict).name, hoverinfo: "text", textposition: "none",
      y: mine.map((_, i) => i), x: mine.map((r) => count(r, verdict) / total(r)),
      marker: { color: css(slug(verdict)), line: { width: 0.6, color: t.surface },
        pattern: verdict === "uncertain" ? { shape: "/", fillmode: "overlay", bgcolor: css("uncertain"), fgcolor: t.surface, fgopacity: 0.65, size: 5, solidity: 0.3 } : undefined },
      hovertext: mine.map((r) => `<b>${label(r.system)}</b>, k = ${kText(r.k)}<br>${meanings.get(verdict).name}: ${number(count(r, verdict))} of ${number(total(r))} (${percent(count(r, verdict) / total(r))})<br>${label(depthName(r.depth))}`),
    }));
    return { traces, layout: layout(t, { height: 36 + 30 * Math.max(mine.length, 2), barmode: "stack", bargap: 0.32, margin: { l: 20, r: 26, t: 6, b: 26 },
      xaxis: { range: [0, 1], tickvals: share.tickvals, ticktext: share.ticktext },
      yaxis: { tickvals: mine.map((_, i) => i), ticktext: mine.map((r) => label(r.system, 16)), showgrid: false, range: [-0.6, mine.length - 0.4], ticks: "" } }) };
  }

  // ---- tokens ---------------------------------------------------------------------------------
  /** A system's points: its rows of the chosen task, or its means over the tasks. */
  function costPoints(system) {
    const task = byId("cost-task").value;
    const points = task || tasks.length < 2 ? rows.filter((r) => !task || r.label === task)
      : data.overall.map((r) => ({ ...r, success: r.mean, low: r.mean_low, high: r.mean_high }));
    return points.filter((r) => here(r) && r.system === system && r.success != null).sort((a, b) => numbered ? a.k - b.k : a.context_tokens - b.context_tokens);
  }

  function costFigure(field, title, t, plot) {
    const series = systems.filter((s) => !hidden.has(s)).map((system) => ({ system, points: costPoints(system).filter((r) => r[field] != null).map((r) => ({ ...r, x: r[field] })) })).filter((s) => s.points.length);
    const positive = series.flatMap((s) => s.points.map((p) => p.x)).filter((x) => x > 0);
    const floor = positive.length ? Math.min(...positive) / 2 : 1;
    const traces = series.map(({ system, points }) => ({
      type: "scatter", mode: "lines+markers+text", name: label(system), hoverinfo: "text", cliponaxis: false,
      x: points.map((p) => Math.max(p.x, floor)), y: points.map((p) => p.success),
      error_y: { ...whiskers(points, t), color: colour(system) },
      line: { color: colour(system), width: 1.4, dash: dash(system) },
      marker: { size: points.map((_, i) => 9 + 2 * i), symbol: symbol(system), color: colour(system), opacity: 0.9, line: { width: 1, color: t.surface } },
      text: points.map((_, i) => i === points.length - 1 ? `  ${label(system, 14)}` : ""), textposition: "middle right", textfont: { size: 11.5, color: t.soft },
      hovertext: points.map((p) => `<b>${label(system)}</b>, k = ${kText(p.k)}<br>${percent(p.success)}${interval(p)}<br>${number(p.x, 1)} ${title.toLowerCase()}${p.tasks > 1 ? `<br>mean of ${p.tasks} tasks` : ""}<br>${label(depthName(view.depth))}`),
    }));
    return { empty: !series.length, traces, layout: layout(t, { height: 340, margin: { l: 44, r: 24, t: 18, b: 48 },
      xaxis: { type: "log", title: { text: `${title} (log scale)` }, ...logTicks(series.flatMap((s) => s.points.map((p) => Math.max(p.x, floor))), positive.length !== series.flatMap((s) => s.points).length ? floor : null, plot.clientWidth) },
      yaxis: { ...share, range: [-0.06, 1.06] } }) };
  }

  function logTicks(values, zeroAt, width) {
    if (!values.length) return {};
    const [low, high] = [Math.log10(Math.min(...values)), Math.log10(Math.max(...values))];
    const pad = Math.max((high - low) * 0.09, 0.12);
    const steps = high - low > 2.2 ? [1] : high - low > 0.9 ? [1, 3] : [1, 1.5, 2, 3, 5, 7];
    const ticks = [];
    for (let e = Math.floor(low) - 1; e <= high + 1; e++) for (const s of steps) ticks.push(s * 10 ** e);
    const shown = ticks.filter((x) => Math.log10(x) >= low - pad && Math.log10(x) <= high + 2 * pad && (zeroAt == null || x > zeroAt * 1.3));
    const name = (x) => x >= 1000 ? `${number(x / 1000, 1)}k` : number(x, x < 10 ? 1 : 0);
    const room = Math.min(0.45, 100 / Math.max(width - 70, 1)); // for the name to the right of the last point
    return { range: [low - pad, high + (high - low + pad) * room / (1 - room)], tickvals: zeroAt == null ? shown : [zeroAt, ...shown], ticktext: zeroAt == null ? shown.map(name) : ["0", ...shown.map(name)] };
  }

  function costNote() {
    const many = !byId("cost-task").value && tasks.length > 1;
    const unplaced = systems.map((system) => ({ system, last: costPoints(system).pop() })).filter(({ last }) => last && last.context_tokens == null)
      .map(({ system, last }) => `${visible(system)} (${percent(last.success)}${interval(last)} at k = ${kText(last.k)})`);
    byId("cost-note").textContent = `Each line joins one system's ${numbered ? "k, small to large" : "amounts, few tokens to many"}; up and to the left is better. `
      + (many ? "Both axes are means of tasks, each task counting alike; the cards above pool the probes." : "Whiskers are Wilson 95 % intervals.")
      + " Tokens are counted with cl100k_base; a system without any stands at 0."
      + (unplaced.length ? ` Of these no tokens were measured, so that they have no place: ${unplaced.join("; ")}.` : "");
  }

  // ---- panels and controls --------------------------------------------------------------------
  function panel(grid, title, figure) {
    const plot = el("div", { class: "plot" });
    const depth = el("span", { class: "panel-depth" });
    byId(grid).append(el("figure", { class: "panel" }, el("figcaption", {}, el("h3", { dir: "auto" }, visible(title)), depth), plot));
    plots.push({ plot, depth, figure });
  }

  async function drawAll() {
    const t = theme();
    for (const { plot, depth, figure } of plots) {
      depth.textContent = depthName(view.depth);
      const { traces, layout, empty } = figure(t, plot);
      if (empty) {
        Plotly.purge(plot);
        plot.replaceChildren(el("p", { class: "empty" }, "Not measured in this run."));
      } else {
        if (plot.querySelector(".empty")) plot.replaceChildren();
        await Plotly.react(plot, traces, layout, { displayModeBar: false, responsive: true, scrollZoom: false, doubleClick: false, showTips: false });
      }
      await new Promise((resume) => setTimeout(resume)); // let the page answer between two charts
    }
  }

  // One drawing at a time; a wish that comes in between is served once, afterwards.
  let drawing = false, again = false;
  async function redraw() {
    if (drawing) { again = true; return; }
    drawing = true;
    document.documentElement.dataset.charts = "drawing";
    try {
      do { again = false; await drawAll(); } while (again);
      document.documentElement.dataset.charts = "drawn";
    } catch (error) {
      Memtriage.trouble(`The charts could not be drawn (${error.message}); the table below has every number.`);
    } finally {
      drawing = false;
    }
  }

  function lineSample(system) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const add = (tag, attributes) => {
      const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
      for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
      svg.append(node);
    };
    const pattern = { solid: "none", dash: "6 4", dot: "2 3", dashdot: "6 3 2 3", longdash: "9 4" }[dash(system)];
    svg.setAttribute("viewBox", "0 0 26 12");
    svg.setAttribute("aria-hidden", "true");
    add("path", { d: "M0 6H26", stroke: colour(system), "stroke-width": 2, "stroke-dasharray": pattern });
    add("path", { d: MARKS[symbol(system)] || MARKS.circle, fill: colour(system) });
    return svg;
  }
  const MARKS = {
    circle: "M13 2a4 4 0 1 0 .01 0z", square: "M9.5 2.5h7v7h-7z", diamond: "M13 1l5 5-5 5-5-5z", "triangle-up": "M13 1l5 9H8z",
    cross: "M11.5 1h3v3.5H18v3h-3.5V11h-3V7.500H8v-3h3.500z", star: "M13 .5l1.600 3.600 3.900.4-2.900 2.600.8 3.900L13 9l-3.400 2 .8-3.900-2.900-2.600 3.900-.4z",
    "triangle-down": "M8 2h10l-5 9z", pentagon: "M13 1l5 3.700-2 5.800h-6l-2-5.800z", hexagon: "M10 1.500h6l3 4.500-3 4.500h-6L7 6z", x: "M9 1l4 3.500L17 1l1 1.500L15 6l3 3.500-1 1.500-4-3.500L9 11l-1-1.500L11 6 8 2.500z",
  };

  function setUp() {
    for (const system of systems) {
      const toggle = el("button", { type: "button", class: "toggle", "aria-pressed": "true", on: { click: () => {
        if (!hidden.delete(system)) hidden.add(system);
        toggle.setAttribute("aria-pressed", String(!hidden.has(system)));
        redraw();
      } } }, lineSample(system), el("bdi", {}, visible(system)));
      byId("systems").append(toggle);
    }
    for (const k of ks.map(String)) {
      byId("stage-k").append(el("button", { type: "button", "aria-pressed": String(k === stageK), on: { click: (event) => {
        stageK = k;
        for (const other of byId("stage-k").children) other.setAttribute("aria-pressed", String(other === event.currentTarget));
        redraw();
      } } }, `k = ${kText(k)}`));
    }
    byId("stage-keys").append(...names.filter((v) => rows.some((r) => count(r, v))).map((v) => el("li", {}, swatch(v), meanings.get(v).name)));
    fill(byId("cost-task"), tasks, tasks.length > 1 ? "mean of tasks" : "");
    byId("cost-task").addEventListener("change", () => { costNote(); redraw(); });
    costNote();
    for (const task of tasks) {
      panel("by-k-panels", task, (t) => successFigure(task, t));
      panel("stage-panels", task, (t) => stageFigure(task, t));
    }
    panel("cost-panels", "Success against context tokens per question", (t, plot) => costFigure("context_tokens", "Context tokens", t, plot));
    panel("cost-panels", "Success against tokens per stored memory", (t, plot) => costFigure("tokens_per_memory", "Tokens per memory", t, plot));
    plots.sort((a, b) => a.plot.compareDocumentPosition(b.plot) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1);
    for (const id of ["by-k", "stages", "cost"]) byId(id).hidden = false;
  }

  try {
    setUp();
    await new Promise((resume) => requestAnimationFrame(() => setTimeout(resume)));
    document.head.append(el("script", {}, await page.unpack("plotly")));
    if (typeof Plotly === "undefined") throw new Error("the charting library did not start");
    document.addEventListener("redraw", () => { costNote(); redraw(); });
    await redraw();
  } catch (error) {
    for (const id of ["by-k", "stages", "cost"]) byId(id).hidden = true;
    Memtriage.trouble(`The charts could not be drawn (${error.message}); the table below has every number.`);
  }
})();
