"use strict";
// The charts. They come after the table and apart from it: if they can't be drawn, the table still works.
(async () => {
  const page = await Memtriage.ready;
  if (!page) return;
  const { data, rows, view, changed, names, meanings, el, byId, fill, visible, unique, count, number, percent, slug, swatch, colour, short, depthName, byK, kText } = page;
  const systems = data.systems.map(([name]) => name);
  const references = new Set(data.systems.filter(([, , , reference]) => reference).map(([name]) => name));
  const tasks = unique(rows.map((r) => r.label));
  const ks = unique(rows.map((r) => r.k)).sort(byK);
  const numbered = ks.every((k) => typeof k === "number");
  const { hidden } = view;
  const plots = [];
  const stageK = () => view.stageK || String(ks[ks.length - 1]);

  const label = (text, most = 60) => {
    const shown = visible(text).replace(/\n/g, " ");
    return shown.length > most ? shown.slice(0, most - 1) + "…" : shown;
  };
  const pick = (list, system) => list[systems.indexOf(system) % list.length];
  const look = (system) => ({ colour: colour(system), dash: pick(Drawing.dashes, system), symbol: pick(Drawing.symbols, system) });
  const here = (row) => row.depth === view.depth;
  /** Whether a row has a figure to draw: where every probe failed or is uncertain, success may be anything. */
  const settled = (r) => r.success != null && r.error + r.uncertain < r.n - r.na;
  const share = { range: [-0.04, 1.04], ticks: [[0, "0"], [0.25, "25"], [0.5, "50"], [0.75, "75"], [1, "100 %"]], grid: true };
  const interval = (r) => r.low == null ? "" : ` [${percent(r.low)}, ${percent(r.high)}]`;

  // ---- success against k ----------------------------------------------------------------------
  const successTip = (r) => [`${label(r.system)}, k = ${kText(r.k)}`, `${percent(r.success)}${interval(r)}`, `n = ${number(r.n)}, ${label(depthName(r.depth))}`];

  function successFigure(task) {
    const mine = rows.filter((r) => r.label === task && here(r));
    if (unique(mine.map((r) => r.k)).length === 1) return dotFigure(mine);
    const shown = systems.filter((s) => !hidden.has(s));
    const step = Math.min(0.09, 0.5 / Math.max(shown.length, 1));
    const lines = shown.map((system, s) => ({
      name: label(system), ...look(system),
      points: ks.map((k) => mine.find((r) => r.system === system && r.k === k)).filter((r) => r && settled(r)).map((r) => ({
        x: ks.indexOf(r.k) + (s - (shown.length - 1) / 2) * step, y: r.success, low: r.low, high: r.high, tip: successTip(r),
      })),
    }));
    return { empty: !lines.some((line) => line.points.length), height: 258, lines, x: { range: [-0.45, ks.length - 0.55], ticks: ks.map((k, i) => [i, `k = ${kText(k)}`]) }, y: share };
  }

  /** The rows of a chart with a line for each system, from the bottom up. */
  const bySystem = (mine) => systems.map((s) => mine.find((r) => r.system === s)).filter((r) => r && !hidden.has(r.system)).reverse();

  function systemAxis(mine) {
    const most = Math.max(mine.length, 2);
    const apart = mine.filter((r) => references.has(r.system)).length;
    return { height: 36 + 30 * most, y: { range: [-0.6, most - 0.4], ticks: mine.map((r, row) => [row, short(r.system)]), rule: apart && apart < mine.length ? apart - 0.5 : null } };
  }

  /** Success at one k: a line for each system, with its interval. */
  function dotFigure(rowsOfTask) {
    const mine = bySystem(rowsOfTask.filter((r) => r.success != null));
    const lines = mine.map((r, row) => ({ name: label(r.system), ...look(r.system), points: settled(r) ? [{ x: r.success, y: row, low: r.low, high: r.high, across: true, tip: successTip(r) }] : [] }));
    return { empty: !mine.some(settled), ...systemAxis(mine), lines, x: { ...share, range: [0, 1] } };
  }

  // ---- stages ---------------------------------------------------------------------------------
  function stageFigure(task) {
    const mine = bySystem(rows.filter((r) => r.label === task && String(r.k) === stageK() && here(r)));
    const bars = mine.flatMap((r, row) => {
      const total = names.reduce((sum, v) => sum + count(r, v), 0) || 1;
      let from = 0;
      return names.filter((v) => count(r, v)).map((verdict) => ({
        name: meanings.get(verdict).name, row, from, to: from += count(r, verdict) / total, class: `v-${slug(verdict)}`, hatched: verdict === "uncertain",
        tip: [`${label(r.system)}, k = ${kText(r.k)}`, `${meanings.get(verdict).name}: ${number(count(r, verdict))} of ${number(total)} (${percent(count(r, verdict) / total)})`, label(depthName(r.depth))],
      }));
    });
    return { ...systemAxis(mine), bars, x: { ...share, range: [0, 1] } };
  }

  // ---- tokens ---------------------------------------------------------------------------------
  /** A system's points: its rows of the chosen task, or its means over the tasks. */
  function costPoints(system) {
    const task = view.costTask;
    const points = task || tasks.length < 2 ? rows.filter((r) => !task || r.label === task)
      : data.overall.map((r) => ({ ...r, success: r.mean, low: r.mean_low, high: r.mean_high }));
    return points.filter((r) => here(r) && r.system === system && r.success != null).sort((a, b) => numbered ? a.k - b.k : a.context_tokens - b.context_tokens);
  }

  function costFigure(field, title, plot) {
    const series = systems.filter((s) => !hidden.has(s)).map((system) => ({ system, points: costPoints(system).filter((r) => settled(r) && r[field] != null) })).filter((s) => s.points.length);
    const found = series.flatMap((s) => s.points.map((p) => p[field]));
    const positive = found.filter((x) => x > 0);
    const floor = positive.length ? Math.min(...positive) / 2 : 1;
    const lines = series.map(({ system, points }) => ({
      name: label(system), ...look(system),
      points: points.map((p, i) => ({
        x: Math.log10(Math.max(p[field], floor)), y: p.success, low: p.low, high: p.high, size: 9 + 2 * i, text: i === points.length - 1 ? short(system) : "",
        tip: [`${label(system)}, k = ${kText(p.k)}`, `${percent(p.success)}${interval(p)}`, `${number(p[field], 1)} ${title.toLowerCase()}`, ...(p.tasks > 1 ? [`mean of ${p.tasks} tasks`] : []), label(depthName(view.depth))],
      })),
    }));
    return { empty: !series.length, height: 340, lines, y: { ...share, range: [-0.06, 1.06] },
      x: { title: `${title} (log scale)`, grid: true, ...logTicks(found.map((x) => Math.max(x, floor)), positive.length < found.length ? floor : null, plot.clientWidth, series.map((s) => short(s.system))) } };
  }

  function logTicks(values, zeroAt, width, labels) {
    if (!values.length) return { range: [0, 1], ticks: [] };
    const [low, high] = [Math.log10(Math.min(...values)), Math.log10(Math.max(...values))];
    const pad = Math.max((high - low) * 0.09, 0.12);
    const steps = high - low > 2.2 ? [1] : high - low > 0.9 ? [1, 3] : [1, 1.5, 2, 3, 5, 7];
    const all = [];
    for (let e = Math.floor(low) - 1; e <= high + 1; e++) for (const s of steps) all.push(s * 10 ** e);
    const name = (x) => x >= 1000 ? `${number(x / 1000, 1)}k` : number(x, x < 10 ? 1 : 0);
    const room = Math.min(0.45, (Math.max(...labels.map(Drawing.width)) + 14) / Math.max(width - 70, 1)); // for the name to the right of the last point
    const range = [low - pad, high + Math.max(pad, (high - low + pad) * room / (1 - room))];
    const shown = all.filter((x) => Math.log10(x) >= range[0] && Math.log10(x) <= range[1] && (zeroAt == null || x > zeroAt * 1.3));
    const ticks = [...(zeroAt == null ? [] : [[Math.log10(zeroAt), "0"]]), ...shown.map((x) => [Math.log10(x), name(x)])];
    return { range, ticks };
  }

  function costNote() {
    const many = !view.costTask && tasks.length > 1;
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
    plots.push({ plot, depth, figure, title: visible(title) });
  }

  function redraw() {
    try {
      for (const { plot, depth, figure, title } of plots) {
        depth.textContent = depthName(view.depth);
        const found = figure(plot);
        if (found.empty) plot.replaceChildren(el("p", { class: "empty" }, "Not measured in this run."));
        else Drawing.draw(plot, found, title);
      }
      document.documentElement.dataset.charts = "drawn";
    } catch (error) {
      giveUp(error);
    }
  }

  /** Draw what the reader just chose. */
  function act(section) {
    showAll();
    changed(section);
  }

  function showAll() {
    for (const toggle of byId("systems").querySelectorAll("button")) toggle.setAttribute("aria-pressed", String(!hidden.has(toggle.dataset.system)));
    for (const button of byId("stage-k").children) button.setAttribute("aria-pressed", String(button.dataset.k === stageK()));
    byId("cost-task").value = tasks.length > 1 ? view.costTask : tasks[0];
    costNote();
    redraw();
  }

  function giveUp(error) {
    for (const id of ["by-k", "stages", "cost"]) byId(id).hidden = true;
    Memtriage.trouble(`The charts could not be drawn (${error.message}); the table below has every number.`);
  }

  function setUp() {
    const apart = el("span", { class: "toggles apart" }, el("span", { class: "quiet" }, "Reference points:"));
    for (const system of systems) {
      (references.has(system) ? apart : byId("systems")).append(el("button", { type: "button", class: "toggle", "data-system": system, on: { click: () => {
        if (!hidden.delete(system)) hidden.add(system);
        act("by-k");
      } } }, Drawing.sample(...Object.values(look(system))), el("bdi", {}, visible(system))));
    }
    if (references.size) byId("systems").append(apart);
    for (const k of ks.map(String)) {
      byId("stage-k").append(el("button", { type: "button", "data-k": k, on: { click: () => { view.stageK = k; act("stages"); } } }, `k = ${kText(k)}`));
    }
    byId("stage-keys").append(...names.filter((v) => rows.some((r) => count(r, v))).map((v) => el("li", {}, swatch(v), meanings.get(v).name)));
    fill(byId("cost-task"), tasks, tasks.length > 1 ? "mean of tasks" : "");
    byId("cost-task").addEventListener("change", (event) => { view.costTask = event.target.value; act("cost"); });
    for (const task of tasks) {
      panel("by-k-panels", task, () => successFigure(task));
      panel("stage-panels", task, () => stageFigure(task));
    }
    panel("cost-panels", "Success against context tokens per question", (plot) => costFigure("context_tokens", "Context tokens", plot));
    panel("cost-panels", "Success against tokens per stored memory", (plot) => costFigure("tokens_per_memory", "Tokens per memory", plot));
    for (const id of ["by-k", "stages", "cost"]) byId(id).hidden = false;
  }

  try {
    setUp();
    document.addEventListener("redraw", showAll);
    let wide = 0;
    new ResizeObserver(() => { // also draws for the first time
      if (wide !== (wide = document.documentElement.clientWidth)) showAll();
    }).observe(document.documentElement);
  } catch (error) {
    giveUp(error);
  }
})();
