"use strict";
// The page's data, its texts and its table. Everything that comes from data reaches the document as
// text nodes only; nothing here ever parses a string as markup.
const Memtriage = (() => {
  const PAGE_OF_ROWS = 200, PAGE_OF_PROBES = 40, EXCERPT = 600, MEMORIES_FIRST = 8;
  const FAILURES = ["not_stored", "summary_error", "not_retrieved", "reasoning_error"];
  const byId = (id) => document.getElementById(id);
  const number = (x, digits = 0) => x.toLocaleString("en-US", { maximumFractionDigits: digits });
  const percent = (x) => x == null ? "–" : (100 * x).toFixed(1) + " %";
  const slug = (verdict) => verdict.replace(/\W/g, "");
  let data, rows, names, meanings;

  // ---- text that can't be trusted -------------------------------------------------------------
  const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

  function shownControl(char) {
    const code = char.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return "⟨U+" + code.toString(16).toUpperCase().padStart(4, "0") + "⟩";
  }

  const visible = (text) => String(text).replace(CONTROL, shownControl);

  function el(tag, options = {}, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(options)) {
      if (value == null || value === false) continue;
      if (name === "class") node.className = value;
      else if (name === "on") for (const [event, act] of Object.entries(value)) node.addEventListener(event, act);
      else if (name === "vars") for (const [key, v] of Object.entries(value)) node.style.setProperty(key, v);
      else node.setAttribute(name, value === true ? "" : value);
    }
    for (const child of children.flat()) if (child != null) node.append(child);
    return node;
  }

  /** Text with critical details marked and control characters made visible, as nodes. */
  function rich(text, details = []) {
    const out = document.createDocumentFragment();
    let at = 0;
    for (const [start, end] of matches(text, details)) {
      out.append(...plain(text.slice(at, start)), el("mark", {}, plain(text.slice(start, end))));
      at = end;
    }
    out.append(...plain(text.slice(at)));
    return out;
  }

  function plain(text) {
    const out = [];
    let at = 0;
    for (const match of text.matchAll(CONTROL)) {
      if (match.index > at) out.push(text.slice(at, match.index));
      out.push(el("span", { class: "ctl" }, shownControl(match[0])));
      at = match.index + match[0].length;
    }
    if (at < text.length) out.push(text.slice(at));
    return out;
  }

  /** A name that may break where its parts end. */
  function nameOf(text) {
    return el("bdi", {}, visible(text).split(/(?<=[:,/+=])(?=[^:,/+=])/).flatMap((part) => [part, el("wbr")]));
  }

  function matches(text, details) {
    const wanted = [...new Set(details)].filter((d) => d.trim()).sort((a, b) => b.length - a.length);
    if (!wanted.length) return [];
    const escaped = wanted.map((d) => d.trim().split(/\s+/).map((w) => w.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("\\s+"));
    const found = text.matchAll(new RegExp("(?<![\\p{L}\\p{N}])(?:" + escaped.join("|") + ")(?![\\p{L}\\p{N}])", "giu"));
    return [...found].map((m) => [m.index, m.index + m[0].length]);
  }

  /** A memory's text: an excerpt around the first detail, all of it on demand, and what was cut. */
  function memoryText(memory, details) {
    if (memory == null) return el("span", { class: "quiet" }, "The text of this memory was not kept.");
    const [text, length] = Array.isArray(memory) ? memory : [memory, memory.length];
    const box = el("div", { class: "text", dir: "auto" });
    const cut = length > text.length
      ? el("span", { class: "cut" }, `Cut: this page holds ${number(text.length)} of ${number(length)} characters.`) : null;
    if (text.length <= EXCERPT) {
      box.append(rich(text, details));
      return el("div", {}, box, cut);
    }
    const first = matches(text, details)[0];
    const start = first && first[1] > EXCERPT ? first[0] - 120 : 0;
    box.append(start ? "… " : "", rich(text.slice(start, start + EXCERPT), details), " …");
    const more = el("button", { type: "button", class: "link", on: { click: () => {
      box.replaceChildren(rich(text, details));
      more.remove();
    } } }, `Show all ${number(text.length)} characters`);
    return el("div", {}, box, more, cut);
  }

  // ---- unpacking ------------------------------------------------------------------------------
  async function unpack(id) {
    const source = byId(id);
    const raw = atob(source.textContent.trim());
    source.remove();
    const bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).text();
  }

  function adopt(payload) {
    data = payload;
    rows = data.rows.map((values, index) => ({ index, ...Object.fromEntries(data.fields.map((f, i) => [f, values[i]])) }));
    const suites = new Map(rows.map((row) => [row.task, new Set()]));
    for (const row of rows) suites.get(row.task).add(row.suite);
    for (const row of rows) row.label = suites.get(row.task).size > 1 ? `${row.suite}: ${row.task}` : row.task;
    meanings = new Map(data.meanings.map(([verdict, name, meaning]) => [verdict, { name, meaning }]));
    names = data.meanings.map(([verdict]) => verdict);
    data.byRow = rows.map(() => []);
    data.byProbe = data.probes.map(() => []);
    (data.verdicts.row || []).forEach((row, i) => { data.byRow[row].push(i); data.byProbe[data.verdicts.probe[i]].push(i); });
    data.totals = new Map(data.sample.rows);
  }

  const string = (at) => at < 0 ? null : data.strings[at];
  const count = (row, verdict) => row[verdict === "n/a" ? "na" : verdict];
  const depthName = (depth) => data.depths[depth] || depth;
  const unique = (values) => [...new Set(values)];
  const kText = (k) => String(k).replace(/^(\d+) tokens$/, (_, n) => `${number(Number(n))} tok`);
  /** Native first, then numbers of tokens, then numbers of memories. */
  const kOrder = (k) => typeof k === "number" ? k : k === "native" ? -Infinity : parseInt(k, 10) - 1e12;
  const byK = (a, b) => kOrder(a) === kOrder(b) ? 0 : kOrder(a) - kOrder(b);

  function badge(verdict) {
    const { name, meaning } = meanings.get(verdict);
    return el("span", { class: `badge v-${slug(verdict)}`, title: meaning }, swatch(verdict), name);
  }

  const swatch = (verdict) => el("span", { class: `swatch v-${slug(verdict)}`, "aria-hidden": "true" });

  // ---- the table ------------------------------------------------------------------------------
  const COLUMNS = [
    { key: "label", name: "Task", kind: "left name" },
    { key: "system", name: "System", kind: "left name system-cell" },
    { key: "k", name: "k" },
    { key: "n", name: "n", title: "All probes asked" },
    { key: "success", name: "Success [95 %]", kind: "left wide", title: "Correct / asked (n without n/a); errors and uncertain probes stretch the interval to both sides" },
    { key: "accuracy", name: "Accuracy [95 %]", kind: "left wide", title: "Right answers, whatever was retrieved for them", where: () => rows.some((r) => r.accuracy != null) },
    ...FAILURES.map((verdict) => ({ key: verdict, verdict, stage: true, where: () => verdict !== "reasoning_error" || rows.some((r) => r.depth === "full") })),
    ...["uncertain", "n/a", "error"].map((verdict, i) => ({ key: slug(verdict), verdict, kind: i ? "apart" : "apart first-apart", apart: true, where: () => verdict === "uncertain" || rows.some((r) => count(r, verdict)) })),
    { key: "tokens_per_memory", name: "Tokens / memory", short: "Tokens / mem.", kind: "first-apart", digits: 1 },
    { key: "items", name: "Memories back", short: "Mem. back", digits: 1, title: "Mean number of memories that came back for a question" },
    { key: "context_tokens", name: "Context tokens", short: "Context tok.", digits: 0 },
  ];
  let columns = COLUMNS;
  // What is shown: the filters and the order of the table, its open rows by index, the fact that a link leads to, and
  // what the charts show. `changed` says that the reader changed it.
  const view = { task: "", system: "", k: "", depth: "", sort: "", down: false, shown: PAGE_OF_ROWS, open: new Map(), fact: null,
    hidden: new Set(), stageK: "", costTask: "" };
  const changed = (section, step = true) => document.dispatchEvent(new CustomEvent("changed", { detail: { section, step } }));
  const opened = (changes) => ({ verdict: "", search: "", shown: PAGE_OF_PROBES, probes: new Set(), ...changes });

  function selected() {
    const kept = rows.filter((r) => (!view.task || r.label === view.task) && (!view.system || r.system === view.system)
      && (!view.k || String(r.k) === view.k) && r.depth === view.depth);
    if (!view.sort) return kept;
    const way = view.down ? -1 : 1;
    return kept.sort((a, b) => {
      const [x, y] = [a[view.sort], b[view.sort]];
      if (x == null || y == null) return (x == null) - (y == null);
      if (view.sort === "k") return way * byK(x, y) || a.index - b.index;
      return way * (typeof x === "string" ? x.localeCompare(y, "en", { numeric: true }) : x - y) || a.index - b.index;
    });
  }

  function drawTable() {
    const kept = selected();
    view.shown = Math.max(view.shown, kept.findLastIndex((row) => view.open.has(row.index)) + 1);
    const body = el("tbody", { role: "rowgroup" }, kept.slice(0, view.shown).flatMap(tableRow));
    const both = columns.some((column) => column.key === "accuracy");
    const table = el("table", { class: both ? "rows both" : "rows", role: "table", "aria-label": `Results, depth ${depthName(view.depth)}` },
      el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, columns.map(headCell))), body);
    const more = kept.length > view.shown
      ? el("button", { type: "button", class: "more", on: { click: () => { view.shown += PAGE_OF_ROWS; drawTable(); } } },
        `Show more of ${number(kept.length)} rows`) : null;
    byId("table-box").replaceChildren(table, ...(more ? [more] : []));
    byId("row-count").textContent = `${number(kept.length)} of ${number(rows.length)} rows · ${depthName(view.depth)} depth`;
  }

  function headCell(column) {
    const sorted = view.sort === column.key ? (view.down ? "descending" : "ascending") : null;
    const act = () => sortBy(column.key, view.sort === column.key ? !view.down : !["label", "system", "k"].includes(column.key));
    return el("th", { class: column.kind, scope: "col", role: "columnheader", "aria-sort": sorted, title: column.title },
      el("button", { type: "button", "data-sort": column.key, on: { click: act } }, column.name.replace("95 %", "95\u00a0%")));
  }

  function sortBy(key, down) {
    Object.assign(view, { sort: key, down });
    byId("f-sort").value = key;
    const focused = document.activeElement && document.activeElement.dataset.sort;
    drawTable();
    if (focused) document.querySelector(`[data-sort="${focused}"]`).focus();
    changed("table");
  }

  function tableRow(row) {
    const opener = el("button", { type: "button", class: "opener" }, nameOf(row.label));
    const line = el("tr", { class: "row", role: "row", "data-row": row.index }, columns.map((column, i) => el("td", {
      class: [column.kind, (column.stage || column.apart) && !row[column.key] && "zeroed"].filter(Boolean).join(" "),
      role: "cell", "data-label": column.short || column.name,
    }, i === 0 ? opener : cellContent(row, column))));
    line.addEventListener("click", (event) => {
      if (event.target.closest("a") || String(getSelection())) return;
      if (Memtriage.openRow) return Memtriage.openRow(row); // the viewer lists probes in a place of their own
      if (!view.open.delete(row.index)) view.open.set(row.index, opened());
      const inside = shownRow(line, opener, row);
      if (inside) line.after(inside);
      else line.nextElementSibling.remove();
      changed("table");
    });
    const inside = shownRow(line, opener, row);
    return inside ? [line, inside] : [line];
  }

  /** A row drawn as open or closed, and the row with its probes if it is open. */
  function shownRow(line, opener, row) {
    const state = view.open.get(row.index);
    opener.setAttribute("aria-expanded", String(Boolean(state)));
    line.classList.toggle("open", Boolean(state));
    return state ? el("tr", { class: "detail", role: "row" }, el("td", { colspan: columns.length, role: "cell" }, probesPanel(row, state))) : null;
  }

  function cellContent(row, column) {
    const value = row[column.key];
    if (column.key === "k") return kText(value);
    if (column.key === "system") return [dot(row.system), nameOf(row.system)];
    if (column.key === "success") return shareCell(row.success, row.low, row.high, "none asked");
    if (column.key === "accuracy") return shareCell(row.accuracy, row.accuracy_low, row.accuracy_high, "–");
    if (column.key === "reasoning_error" && row.depth === "memory") {
      return el("span", { class: "zero", title: "Not measured at memory-only depth" }, "–");
    }
    if (value == null) return el("span", { class: "zero" }, "–");
    if ((column.stage || column.apart) && !value) return el("span", { class: "zero" }, "0");
    if (column.stage) return el("span", { class: "stage-count" }, swatch(column.key), number(value));
    return number(value, column.digits);
  }

  const dot = (system) => el("span", { class: "dot", "aria-hidden": "true", vars: { "--c": colour(system) } });
  const drawn = (system) => data.systems.find(([name]) => name === system) || [system, "#888888", visible(system)];
  const colour = (system) => drawn(system)[1];
  const short = (system) => drawn(system)[2];

  function shareCell(share, low, high, none) {
    if (share == null) return el("span", { class: "zero" }, none);
    const width = (x) => (100 * x).toFixed(2) + "%";
    const interval = low == null ? null : el("u", { vars: { left: width(low), width: width(high - low) } });
    return el("div", { class: "success-cell" }, el("b", {}, percent(share)),
      el("span", { class: "interval" }, low == null ? "" : `[${(100 * low).toFixed(1)}, ${(100 * high).toFixed(1)}]`),
      el("span", { class: "track", "aria-hidden": "true" }, el("i", { vars: { width: width(share) } }), interval));
  }

  // ---- the probes of a row --------------------------------------------------------------------
  function probesPanel(row, state) {
    const all = data.byRow[row.index];
    const total = data.totals.get(row.index) || 0;
    const panel = el("div", { class: "probes" }, storeLine(row));
    if (!all.length) {
      panel.append(el("p", { class: "quiet" }, total ? "None of this row's probes fit in this page; they are in verdicts.jsonl." : "No probes are listed for this row."));
      return panel;
    }
    if (all.length < total) {
      panel.append(el("p", { class: "note" }, `Showing ${number(all.length)} of ${number(total)} probes, failures first; the rest is in verdicts.jsonl.`));
    }
    const list = el("ul", { class: "list" });
    const foot = el("div", {});
    const status = el("span", { class: "quiet", role: "status" });
    const draw = (from) => drawProbes(all, state, list, foot, status, from);
    const search = el("input", { type: "search", placeholder: "Search in the questions", "aria-label": "Search in the questions", on: {
      input: () => { state.search = search.value; state.shown = PAGE_OF_PROBES; draw(0); changed("table", false); } } });
    search.value = state.search;
    panel.append(el("div", { class: "probes-head" }, verdictPicks(all, state, draw), search, status), list, foot);
    draw(0);
    return panel;
  }

  function storeLine(row) {
    const kept = (task) => data.stores.find((s) => s.suite === row.suite && s.task === task && s.system === row.system);
    const store = kept(row.task) || kept("");
    const parts = [`Depth ${depthName(row.depth)}`, `k = ${kText(row.k)}`];
    if (store) {
      parts.push(`${number(store.episodes)} ${store.episodes === 1 ? "store" : "stores"}`);
      if (store.memories != null) parts.push(`${number(store.memories, 1)} memories and ${number(store.tokens || 0)} tokens in each`);
      parts.push(`${duration(store.ingest)} to ingest`);
      if (store.query != null) parts.push(`${duration(store.query)} per query`);
      if (store.errors) parts.push(`${number(store.errors)} stores with errors`);
    }
    return el("p", { class: "quiet" }, parts.join(" · "));
  }

  const duration = (s) => s == null ? "–" : s < 0.9995 ? `${number(1000 * s, s < 0.01 ? 2 : 0)} ms` : `${number(s, 1)} s`;

  function verdictPicks(all, state, draw) {
    const counts = names.map((_, v) => all.reduce((sum, i) => sum + (data.verdicts.verdict[i] === v), 0));
    const group = el("div", { class: "picks", role: "group", "aria-label": "Verdict" });
    const pick = (verdict, label, content) => el("button", { type: "button", class: "pick", "data-verdict": label,
      "aria-pressed": String(state.verdict === verdict), on: { click: (event) => {
        state.verdict = verdict;
        state.shown = PAGE_OF_PROBES;
        for (const other of group.children) other.setAttribute("aria-pressed", String(other === event.currentTarget));
        draw(0);
        changed("table");
      } } }, content);
    group.append(pick("", "all", `All ${number(all.length)}`));
    names.forEach((name, v) => {
      if (counts[v]) group.append(pick(v, name, [swatch(name), `${meanings.get(name).name} ${number(counts[v])}`]));
    });
    return group;
  }

  function drawProbes(all, state, list, foot, status, from) {
    const needle = state.search.trim().toLowerCase();
    const kept = all.filter((i) => (state.verdict === "" || data.verdicts.verdict[i] === state.verdict)
      && (!needle || questionOf(i).toLowerCase().includes(needle)));
    if (!from) {
      list.replaceChildren();
      state.shown = Math.max(state.shown, kept.findLastIndex((i) => state.probes.has(i)) + 1);
    }
    list.append(...kept.slice(from, state.shown).map((i) => probeItem(i, state)));
    status.textContent = `${number(Math.min(state.shown, kept.length))} of ${number(kept.length)}`;
    const left = kept.length - state.shown;
    foot.replaceChildren(...(left <= 0 ? [] : [el("button", { type: "button", class: "more", on: { click: () => {
      const before = state.shown;
      state.shown += PAGE_OF_PROBES;
      drawProbes(all, state, list, foot, status, before);
    } } }, `Show ${number(Math.min(PAGE_OF_PROBES, left))} more`)]));
  }

  const probeOf = (i) => data.probes[data.verdicts.probe[i]];
  const questionOf = (i) => string(probeOf(i)[2]) || "";

  function probeItem(i, state) {
    const [episode, probe] = probeOf(i).map(string);
    const item = el("li", { class: "probe", "data-at": i });
    const show = () => {
      const open = state.probes.has(i);
      button.setAttribute("aria-expanded", String(open));
      item.classList.toggle("open", open);
      if (open) item.append(probeInside(i));
    };
    const button = el("button", { type: "button", on: { click: () => {
      if (state.probes.delete(i)) item.lastElementChild.remove();
      else state.probes.add(i);
      show();
      changed("table");
    } } }, badge(names[data.verdicts.verdict[i]]), el("span", { class: "q", dir: "auto" }, clipped(questionOf(i), 400)),
    el("span", { class: "id", title: visible(`${episode} · ${probe}`) }, visible(probe)));
    item.append(button);
    show();
    return item;
  }

  const clipped = (text, most) => rich(text.length > most ? text.slice(0, most) + " …" : text);

  // ---- one probe ------------------------------------------------------------------------------
  function probeInside(i) {
    const v = data.verdicts;
    const facts = v.facts[i].map(factOf);
    const witnesses = new Set(facts.flatMap((f) => f.witness));
    const details = facts.flatMap((f) => f.details);
    return el("div", { class: "inside" }, basics(i),
      el("div", {}, el("h3", {}, facts.length === 1 ? "The fact it needs" : `The ${facts.length} facts it needs`),
        facts.map((fact) => factCard(fact, new Set(v.keys[i]), i))),
      el("div", {}, el("h3", {}, retrievedTitle(i)), retrievedList(i, witnesses, details)),
      elsewhere(i));
  }

  function factOf(at) {
    const [fact, verdict, why, stages, detector, lost, lostAfter, ...witness] = data.judged[at];
    const [id, text, ...details] = data.facts[fact].map(string);
    return { id, text, details, verdict: names[verdict], why: string(why), stages, detector: string(detector), lost, lostAfter: string(lostAfter), witness };
  }

  function basics(i) {
    const v = data.verdicts;
    const [episode, probe, question, gold, cluster, ...tags] = probeOf(i).map(string);
    const list = el("dl", { class: "pairs" });
    const add = (name, content) => list.append(el("dt", {}, name), el("dd", { dir: "auto" }, content));
    add("Question", longText(question));
    add("Gold answer", longText(gold));
    const answer = ["Answer (not right)", "Answer (right)", "Answer (right without its evidence)"][v.right[i]] || "Answer";
    if (v.answer[i] >= 0) add(answer, longText(string(v.answer[i])));
    if (v.why[i] >= 0) add("Why", longText(string(v.why[i])));
    if (v.error[i] >= 0) add("Error", longText(string(v.error[i])));
    const measured = [`${number(v.returned[i])} ${v.returned[i] === 1 ? "memory" : "memories"} came back`];
    if (v.tokens[i] != null) measured.push(`${number(v.tokens[i])} context tokens`);
    if (v.seconds[i] != null) measured.push(duration(v.seconds[i]));
    add("Measured", el("span", { class: "quiet" }, measured.join(" · ")));
    const where = [`episode ${episode}`, `probe ${probe}`];
    if (cluster && cluster !== episode) where.push(`cluster ${cluster}`);
    for (let t = 0; t < tags.length; t += 2) where.push(`${tags[t]}: ${tags[t + 1]}`);
    add("From", el("span", { class: "quiet" }, clipped(where.join(" · "), 600), linkTo(i)));
    return list;
  }

  const longText = (text) => memoryText(text, []);

  /** A link to a probe, or to one of its facts; none where the page's state is not in its address. */
  function linkTo(i, fact = null) {
    if (!Memtriage.address) return null;
    const what = fact == null ? "probe" : "fact";
    return el("a", { class: "here-link", href: Memtriage.address(i, fact), "aria-label": `Link to this ${what}`, title: `Link to this ${what}` }, "link");
  }

  function factCard(fact, retrieved, i) {
    const chosen = view.fact && view.fact.at === i && view.fact.id === fact.id;
    const card = el("div", { class: `fact v-${slug(fact.verdict)}${chosen ? " chosen" : ""}` },
      el("div", { class: "fact-head" }, badge(fact.verdict), el("div", { class: "text", dir: "auto" }, rich(fact.text, fact.details)), linkTo(i, fact.id)),
      stageStrip(fact.stages));
    if (fact.details.length) {
      card.append(el("div", { class: "details" }, fact.details.length === 1 ? "Critical detail:" : "Critical details:",
        fact.details.map((d) => el("mark", { dir: "auto" }, plain(d)))));
    }
    card.append(el("p", { class: "why", dir: "auto" }, el("b", {}, "Why: "), clipped(fact.why || "no reason given", 1200),
      fact.detector ? el("span", { class: "quiet" }, ` (${visible(fact.detector)} detector)`) : null));
    if (fact.lost) card.append(el("p", { class: "why" }, el("b", {}, "Lost: "), lostText(fact)));
    if (fact.witness.length) card.append(witnessList(fact, retrieved));
    return card;
  }

  function lostText(fact) {
    const after = fact.lostAfter == null ? "" : ` after session ${visible(fact.lostAfter)}`;
    return fact.lost === "never" ? `it was never in the store${after && `, not even${after}`}.` : `it was in the store and disappeared later${after}.`;
  }

  function stageStrip(stages) {
    const states = { p: ["✓", "pass"], f: ["✕", "fail"], u: ["?", "uncertain"], n: ["–", "n/a"], "-": ["·", "not checked"] };
    const strip = el("ol", { class: "strip", "aria-label": "Stages" });
    data.stages.forEach((stage, i) => {
      const [sign, word] = states[stages[i]] || states["-"];
      if (i) strip.append(el("li", { class: "arrow", "aria-hidden": "true" }, "›"));
      strip.append(el("li", { class: `s-${stages[i] === "-" ? "x" : stages[i]}`, title: `${stage}: ${word}` },
        el("span", { "aria-hidden": "true" }, sign), `${stage} `, el("span", {}, word)));
    });
    return strip;
  }

  function witnessList(fact, retrieved) {
    const shown = fact.witness.slice(0, 5);
    return el("div", {}, el("h3", {}, fact.witness.length === 1 ? "The memory this rests on" : `The ${fact.witness.length} memories this rests on`),
      el("ul", { class: "memories" }, shown.map((key) => el("li", { class: "memory witness" },
        el("div", { class: "rank" }, retrieved.has(key) ? el("span", { class: "tag" }, "retrieved") : el("span", { class: "tag missed" }, "stored")),
        memoryText(data.memories[key], fact.details)))),
      fact.witness.length > shown.length ? el("p", { class: "quiet" }, `and ${number(fact.witness.length - shown.length)} more`) : null);
  }

  function retrievedTitle(i) {
    const returned = data.verdicts.returned[i];
    return `Retrieved memories: ${number(returned)} (asked for k = ${kText(rows[data.verdicts.row[i]].k)})`;
  }

  function retrievedList(i, witnesses, details) {
    const { keys, ranks, scores, reasons, returned } = data.verdicts;
    if (!keys[i].length) return el("p", { class: "quiet" }, "Nothing came back.");
    const items = keys[i].map((key, at) => () => retrievedItem(key, ranks[i] ? ranks[i][at] : at + 1, scores[i] ? scores[i][at] : null, reasons ? string(reasons[i][at]) : null, witnesses, details));
    const list = el("ol", { class: "memories retrieved" }, items.slice(0, MEMORIES_FIRST).map((make) => make()));
    const hidden = returned[i] - keys[i].length;
    const rest = hidden > 0 ? el("p", { class: "quiet" }, `and ${number(hidden)} more, which are not in this page`) : null;
    if (items.length <= MEMORIES_FIRST) return el("div", {}, list, rest);
    const more = el("button", { type: "button", class: "more", on: { click: () => {
      list.append(...items.slice(MEMORIES_FIRST).map((make) => make()));
      more.remove();
    } } }, `Show ${number(items.length - MEMORIES_FIRST)} more`);
    return el("div", {}, list, more, rest);
  }

  function retrievedItem(key, rank, score, reason, witnesses, details) {
    const witness = witnesses.has(key);
    return el("li", { class: witness ? "memory witness" : "memory" },
      el("div", { class: "rank" }, el("b", {}, rank ? `#${rank}` : "always"), score == null ? null : el("span", { title: "the system's score" }, String(score))),
      el("div", {}, witness ? el("span", { class: "tag" }, "witness") : null, memoryText(data.memories[key], details),
        reason ? el("div", { class: "quiet", title: "what the system says about why it came back" }, visible(reason)) : null));
  }

  /** The same probe asked of the other systems and with other k. */
  function elsewhere(i) {
    const twins = data.byProbe[data.verdicts.probe[i]].map((j) => ({ j, row: rows[data.verdicts.row[j]] }))
      .filter(({ row }) => row.depth === rows[data.verdicts.row[i]].depth);
    if (twins.length < 2) return null;
    const ks = unique(twins.map((t) => t.row.k)).sort(byK);
    const line = (system) => el("tr", {}, el("th", { scope: "row", title: visible(system) }, short(system)), ks.map((k) => {
      const twin = twins.find((t) => t.row.system === system && t.row.k === k);
      if (!twin) return el("td", {});
      const verdict = names[data.verdicts.verdict[twin.j]];
      const cell = { class: `cell v-${slug(verdict)}${twin.j === i ? " here" : ""}`, "data-at": twin.j,
        title: `${visible(system)}, k = ${kText(k)}: ${meanings.get(verdict).name}`, "aria-label": meanings.get(verdict).name };
      return el("td", {}, Memtriage.address ? el("a", { ...cell, href: Memtriage.address(twin.j) }) : el("span", { ...cell, role: "img" }));
    }));
    return el("div", {}, el("h3", {}, "The same probe elsewhere"), el("div", { class: "matrix" }, el("table", {},
      el("thead", {}, el("tr", {}, el("td", {}), ks.map((k) => el("th", { scope: "col" }, `k = ${kText(k)}`)))),
      el("tbody", {}, unique(twins.map((t) => t.row.system)).map(line)))));
  }

  // ---- controls -------------------------------------------------------------------------------
  function fill(select, values, all, shown = visible) {
    select.replaceChildren(...(all ? [el("option", { value: "" }, all)] : []),
      ...values.map((value) => el("option", { value }, shown(value))));
  }

  function setUpTable() {
    fill(byId("f-task"), unique(rows.map((r) => r.label)), "all tasks");
    fill(byId("f-system"), unique(rows.map((r) => r.system)), "all systems");
    fill(byId("f-k"), unique(rows.map((r) => r.k)).sort(byK).map(String), "all k", kText);
    for (const name of ["task", "system", "k"]) {
      byId(`f-${name}`).addEventListener("change", (event) => {
        view[name] = event.target.value;
        filtered();
      });
    }
    for (const column of COLUMNS) if (column.verdict) column.name = capital(meanings.get(column.verdict).name);
    columns = COLUMNS.filter((c) => !c.where || c.where());
    fill(byId("f-sort"), columns.map((c) => c.key), "the run's order", (key) => columns.find((c) => c.key === key).name);
    byId("f-sort").addEventListener("change", (event) => sortBy(event.target.value, !["label", "system", "k"].includes(event.target.value)));
    drawTable();
  }

  const capital = (text) => text.length > 3 ? text[0].toUpperCase() + text.slice(1) : text;

  /** Draw the table after a filter was changed; rows that it leaves out are closed. */
  function filtered() {
    view.shown = PAGE_OF_ROWS;
    const kept = new Set(selected().map((row) => row.index));
    for (const index of [...view.open.keys()]) if (!kept.has(index)) view.open.delete(index);
    drawTable();
    changed("table");
  }

  /** Draw everything again, as `view` says. */
  function redraw() {
    for (const name of ["task", "system", "k", "sort", "depth"]) byId(`f-${name}`).value = view[name];
    sayDepth();
    drawTable();
    document.dispatchEvent(new Event("redraw"));
  }

  function setUpDepth() {
    const depths = unique(rows.map((r) => r.depth));
    view.depth = depths.includes("full") ? "full" : depths[0];
    byId("f-depth-field").hidden = depths.length < 2;
    fill(byId("f-depth"), depths, "", depthName);
    byId("f-depth").value = view.depth;
    byId("f-depth").addEventListener("change", (event) => {
      view.depth = event.target.value;
      filtered();
      redraw();
    });
    sayDepth();
  }

  function sayDepth() {
    for (const chip of document.querySelectorAll(".chip.depth")) chip.textContent = `${depthName(view.depth)} depth`;
  }

  function setUpTheme() {
    const root = document.documentElement;
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const isDark = () => root.dataset.theme ? root.dataset.theme === "dark" : dark.matches;
    const changed = () => byId("theme").setAttribute("aria-pressed", String(isDark()));
    byId("theme").addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; changed(); });
    dark.addEventListener("change", changed);
    changed();
  }

  function setUpCopy() {
    byId("copy").addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(byId("command").textContent);
        byId("copy").textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(byId("command"));
      }
    });
  }

  function trouble(message) {
    byId("trouble").textContent = message;
    byId("trouble").hidden = false;
  }

  async function start() {
    setUpTheme();
    setUpCopy();
    if (typeof DecompressionStream === "undefined") {
      trouble("This browser can't unpack the page's data. Any browser from 2023 or later can.");
      return null;
    }
    adopt(JSON.parse(await unpack("data")));
    if (!rows.length) {
      trouble("This run has no rows: nothing was asked.");
      return null;
    }
    setUpDepth();
    byId("table").hidden = false;
    setUpTable();
    return { redraw, changed, opened, probeOf, string, data, rows, view, names, meanings, el, byId, fill, visible, unique, count, number, percent, slug, swatch, colour, short, depthName, byK, kText, FAILURES, adopt, probeInside, badge, clipped };
  }

  const ready = start().catch((error) => {
    trouble(`The page's data could not be read: ${error.message}`);
    return null;
  });
  return { ready, trouble };
})();
