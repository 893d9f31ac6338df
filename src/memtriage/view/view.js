"use strict";
// The probes of a run: found by filters, opened one by one. What is shown stands after the # of the address,
// so that every view has a link, and the back button goes back. Probes are drawn by the report's own functions.
(async () => {
  const page = await Memtriage.ready;
  if (!page) return;
  const { data, rows, view, names, meanings, el, byId, fill, visible, unique, number, swatch, depthName, byK, kText, adopt, probeInside, badge, clipped } = page;
  const PAGE = 50, KEPT = 24, PER_FILE = 8, TITLE = 400;
  const files = document.documentElement.dataset.from === "files";
  const base = { ...data };
  const form = byId("p-filters"), list = byId("p-list"), one = byId("one");
  let columns = null, shown = PAGE, listed = null, turns = 0;

  // ---- loading ----------------------------------------------------------------------------------
  const arriving = new Map();
  globalThis.memtriageData = (name, content) => arriving.get(name)(content);

  /** A document of this run: asked from the server, or a script beside this page, as pages from disk may load no other. */
  async function load(name, query = "") {
    if (!files) {
      const reply = await fetch(`${name}.json${query}`);
      if (!reply.ok) throw new Error(await reply.text());
      return reply.json();
    }
    return new Promise((resolve, reject) => {
      arriving.set(name, resolve);
      document.head.append(el("script", { src: `${name}.js`, on: { error: () => reject(new Error(`${name}.js is missing`)) } }));
    });
  }

  const kept = new Map();
  function remembered(name, query = "", get = () => load(name, query)) {
    const key = name + query;
    if (!kept.has(key)) kept.set(key, get());
    const found = kept.get(key);
    found.catch(() => kept.delete(key));
    if (kept.size > KEPT) kept.delete(kept.keys().next().value);
    return found;
  }

  async function question(id) {
    return files ? (await remembered(`q/${Math.floor(id / PER_FILE)}`))[id % PER_FILE] : remembered(`q/${id}`);
  }

  // ---- the state, which is the address ----------------------------------------------------------
  const state = () => {
    const hash = location.hash.slice(1);
    return hash.includes("=") ? Object.fromEntries(new URLSearchParams(hash)) : {};
  };
  const address = (wanted) => "#" + (new URLSearchParams(Object.entries(wanted).filter(([, value]) => value != null && value !== "")).toString() || "probes");
  const filterOf = ({ p, f, ...rest }) => rest;

  // ---- filters ----------------------------------------------------------------------------------
  function byRow(s) {
    return rows.map((row) => (!s.task || row.task === s.task) && (!s.system || row.system === s.system)
      && (!s.k || String(row.k) === s.k) && (!s.depth || row.depth === s.depth));
  }

  async function matching(s) {
    const rowFits = byRow(s), needle = (s.q || "").trim().toLowerCase();
    let fits = (n) => rowFits[columns.row[n]], memories = null;
    if (needle && s.in === "memories") {
      memories = await searched(needle);
      const brought = new Set(memories.numbers);
      const before = fits;
      fits = (n) => brought.has(n) && before(n);
    } else if (needle) {
      const found = columns.questions.map((texts) => texts.some((text) => text.toLowerCase().includes(needle)));
      const before = fits;
      fits = (n) => found[columns.question[n]] && before(n);
    }
    const counts = names.map(() => 0), numbers = [];
    const verdict = s.verdict ? names.indexOf(s.verdict) : -1;
    for (let n = 0; n < columns.row.length; n++) {
      if (!fits(n)) continue;
      counts[columns.verdict[n]]++;
      if (verdict < 0 || columns.verdict[n] === verdict) numbers.push(n);
    }
    return { numbers, counts, memories };
  }

  async function searched(needle) {
    if (!files) return remembered("memories", `?q=${encodeURIComponent(needle)}`);
    const all = await remembered("memories");
    const found = new Set(all.texts.flatMap((text, i) => text.toLowerCase().includes(needle) ? [i] : []));
    const times = new Map([...found].map((i) => [i, 0])), numbers = [];
    all.brought.forEach((ids, n) => {
      const hits = ids.filter((i) => found.has(i));
      if (hits.length) numbers.push(n);
      for (const i of hits) times.set(i, times.get(i) + 1);
    });
    const first = [...found].sort((a, b) => times.get(b) - times.get(a)).slice(0, 20);
    return { found: found.size, memories: first.map((i) => [all.texts[i], times.get(i)]), numbers };
  }

  /** What the address asks for and this run does not have, in a sentence each. */
  function unknownIn(s, opened) {
    const known = { verdict: names, in: ["memories"] };
    for (const name of ["task", "system", "k", "depth"]) known[name] = rows.map((row) => String(row[name]));
    const told = Object.keys(known).filter((name) => s[name] && !known[name].includes(s[name]))
      .map((name) => name === "in" ? `It can't be searched in "${s.in}".` : `This run has no ${name} "${s[name]}".`);
    if (s.p != null && !opened) told.unshift(`This run has no probe ${s.p}.`);
    return visible(told.join(" "));
  }

  function setUpFilters() {
    fill(form.elements.task, unique(rows.map((r) => r.task)), "all tasks");
    fill(form.elements.system, unique(rows.map((r) => r.system)), "all systems");
    fill(form.elements.k, unique(rows.map((r) => r.k)).sort(byK).map(String), "all k", kText);
    const depths = unique(rows.map((r) => r.depth));
    fill(form.elements.depth, depths, "all depths", depthName);
    byId("p-depth").hidden = depths.length < 2;
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", (event) => {
      const wanted = address({ ...filterOf(state()), ...Object.fromEntries(new FormData(form)) });
      if (event.target.type === "search") location.replace(wanted); // one step back, not one for every letter
      else location.hash = wanted;
    });
  }

  // ---- the list ---------------------------------------------------------------------------------
  function item(n, s) {
    const row = rows[columns.row[n]], [episode, probe, text] = columns.questions[columns.question[n]];
    const whose = [s.system ? null : row.system, s.k ? null : `k = ${kText(row.k)}`].filter(Boolean).join(" · ");
    return el("li", { class: "probe" }, el("a", { href: address({ ...s, p: n }) }, badge(names[columns.verdict[n]]),
      el("span", { class: "q", dir: "auto" }, clipped(text, TITLE)), whose ? el("span", { class: "whose" }, visible(whose)) : null,
      el("span", { class: "id", title: visible(`${episode} · ${probe}`) }, visible(probe))));
  }

  function drawList(found, s) {
    const { numbers, counts, memories } = found;
    list.replaceChildren(...numbers.slice(0, shown).map((n) => item(n, s)));
    const total = counts.reduce((a, b) => a + b, 0);
    byId("p-count").textContent = `${number(numbers.length)} of ${number(columns.row.length)}`;
    const pick = (verdict, label, content) => el("button", { type: "button", class: "pick", "data-verdict": label, "aria-pressed": String((s.verdict || "") === verdict),
      on: { click: () => { location.hash = address({ ...s, verdict }); } } }, content);
    byId("p-verdicts").replaceChildren(pick("", "all", `All ${number(total)}`),
      ...names.flatMap((name, v) => counts[v] || s.verdict === name ? [pick(name, name, [swatch(name), `${meanings.get(name).name} ${number(counts[v])}`])] : []));
    byId("p-memories").replaceChildren(...(memories ? memoriesFound(memories) : []));
    drawMore(numbers, s);
  }

  function drawMore(numbers, s) {
    const left = numbers.length - shown;
    byId("p-more").replaceChildren(...(left <= 0 ? [] : [el("button", { type: "button", class: "more", on: { click: () => {
      list.append(...numbers.slice(shown, shown + PAGE).map((n) => item(n, s)));
      shown += PAGE;
      drawMore(numbers, s);
    } } }, `Show ${number(Math.min(PAGE, left))} more`)]));
  }

  function memoriesFound({ found, memories }) {
    const told = found > memories.length ? `${number(found)} stored memories hold this; here are the ${memories.length} that came back most often.` : `${number(found)} stored ${found === 1 ? "memory holds" : "memories hold"} this; here is how often each came back.`;
    return [el("p", { class: "quiet" }, `${told} Below are the probes for which one of them came back.`), el("ul", { class: "memories" }, memories.map(([text, times]) => el("li", { class: "memory" },
      el("div", { class: "rank" }, times ? `${number(times)} ${times === 1 ? "time" : "times"}` : "never"), el("div", { class: "text", dir: "auto" }, clipped(text, 400)))))];
  }

  // ---- one probe --------------------------------------------------------------------------------
  /** The place of a verdict among those of its question: the report counts verdicts of one row in their order. */
  function placeOf(n, payload) {
    let nth = 0;
    for (let m = n - 1; m >= 0 && columns.question[m] === columns.question[n]; m--) nth += columns.row[m] === columns.row[n];
    return payload.verdicts.row.flatMap((row, i) => row === columns.row[n] ? [i] : [])[nth];
  }

  function numberAt(i, n, payload) {
    let first = n;
    while (first > 0 && columns.question[first - 1] === columns.question[n]) first--;
    for (let m = first; columns.question[m] === columns.question[n]; m++) if (placeOf(m, payload) === i) return m;
    return n;
  }

  function drawProbe(n, payload, found, s) {
    const at = found.numbers.indexOf(n), numbers = at < 0 ? [n] : found.numbers, here = Math.max(at, 0);
    const step = (m, name, rel) => el("a", { href: m == null ? null : address({ ...s, p: m, f: "" }), rel, "aria-disabled": String(m == null) }, name);
    adopt({ ...base, ...payload });
    const row = rows[columns.row[n]], [, , text] = columns.questions[columns.question[n]], place = placeOf(n, payload);
    view.fact = s.f ? { at: place, id: s.f } : null;
    Memtriage.address = (i, fact) => {
      const m = numberAt(i, n, payload);
      return address({ ...(m === n ? s : { ...s, system: "", k: "", depth: "", verdict: "" }), p: m, f: fact });
    };
    const inside = probeInside(place);
    if (text.length <= TITLE) for (const part of [...inside.querySelectorAll(".pairs > *")].slice(0, 2)) part.remove(); // it stands above
    one.replaceChildren(
      el("div", { class: "steps" }, el("a", { href: address(filterOf(s)), class: "back" }, "← All probes"),
        step(numbers[here - 1], "Previous", "prev"), step(numbers[here + 1], "Next", "next"),
        el("span", { class: "quiet", id: "place" }, `${number(here + 1)} of ${number(numbers.length)}`)),
      el("p", { class: "quiet", dir: "auto" }, visible(`${row.task} · ${row.system} · k = ${kText(row.k)}`)),
      el("h1", { id: "one-h", dir: "auto" }, clipped(text, TITLE)), badge(names[columns.verdict[n]]), inside);
    document.title = visible(text).slice(0, 80);
    const chosen = inside.querySelector(".fact.chosen");
    if (chosen) chosen.scrollIntoView({ block: "center" });
    else scrollTo(0, 0);
  }

  // ---- together ---------------------------------------------------------------------------------
  async function draw() {
    const turn = ++turns, s = state(), filter = address(filterOf(s));
    for (const field of form.elements) if (field.name && document.activeElement !== field) field.value = s[field.name] || "";
    try {
      const found = await matching(s);
      const n = Number(s.p), opened = s.p != null && Number.isInteger(n) && n >= 0 && n < columns.row.length;
      const payload = opened ? await question(columns.question[n]) : null;
      if (turn !== turns) return; // something else was asked for meanwhile
      const wasOpen = !one.hidden, first = listed === null;
      document.body.classList.toggle("reading", opened);
      one.hidden = !opened;
      if (opened) drawProbe(n, payload, found, s);
      else {
        document.title = `${run} · memtriage`;
        const unknown = unknownIn(s, opened);
        byId("p-unknown").textContent = unknown && `${unknown} Choose from what stands here.`;
        byId("p-unknown").hidden = !unknown;
        if (filter !== listed) {
          shown = PAGE;
          drawList(found, s);
        }
        listed = filter;
        if (wasOpen || (first && filter !== "#probes")) (byId(location.hash.slice(1)) || byId("probes")).scrollIntoView();
      }
      document.documentElement.dataset.shown = location.hash;
    } catch (error) {
      Memtriage.trouble(`The probes could not be read: ${error.message}`);
      document.body.classList.remove("reading");
    }
  }

  function setUpKeys() {
    addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
      const way = { j: "next", ArrowRight: "next", k: "prev", ArrowLeft: "prev", Escape: "back" }[event.key];
      if (!way) return;
      if (!one.hidden) {
        const link = one.querySelector(way === "back" ? ".back" : `[rel=${way}]`);
        if (link && link.hasAttribute("href")) link.click();
        event.preventDefault();
      } else if (event.key === "j" || event.key === "k") {
        const links = [...list.querySelectorAll("a")], at = links.indexOf(document.activeElement);
        const next = links[event.key === "j" ? at + 1 : at - 1];
        if (next) next.focus();
      }
    });
  }

  Memtriage.openRow = (row) => {
    location.hash = address({ task: row.task, system: row.system, k: String(row.k), depth: unique(rows.map((r) => r.depth)).length > 1 ? row.depth : "" });
    byId("probes").scrollIntoView();
  };

  const { run } = document.documentElement.dataset;
  byId("title").textContent = `${run} · ${byId("title").textContent}`;
  document.title = `${run} · memtriage`;
  if (!files) byId("to-compare").href += `?a=${encodeURIComponent(location.pathname.split("/").at(-2))}`;
  try {
    setUpFilters();
    setUpKeys();
    columns = await load("columns");
  } catch (error) {
    Memtriage.trouble(`The probes could not be read: ${error.message}`);
    return;
  }
  addEventListener("hashchange", draw);
  await draw();
})();
