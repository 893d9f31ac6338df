"use strict";
// What the page shows stands after the # of its address, so that every view has a link and the back button goes back:
//
//   #SECTION?task=…&system=…&k=…&depth=…&sort=-success      the table's filters and order
//   &without=SYSTEM&stages=K&tokens=TASK                    what the charts show
//   &open=TASK,SYSTEM,K&verdict=…&search=…                  an open row, and which of its probes it lists
//   &probe=EPISODE,PROBE&fact=FACT                          a probe of that row, and a fact of that probe
//
// A link may come from anywhere: what it names is only looked up, never put into the document as markup.
(async () => {
  const page = await Memtriage.ready;
  if (!page) return;
  const { data, rows, view, names, byId, redraw, opened, probeOf, string, visible } = page;
  const start = { depth: view.depth };
  let section = "";

  // ---- from what is shown to an address ---------------------------------------------------------
  const whole = (text) => String(text).replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
  const coded = (text) => encodeURIComponent(whole(text)).replace(/%2F/g, "/").replace(/%3A/g, ":");
  const pair = (name, ...parts) => `${name}=${parts.map(coded).join(",")}`;
  const rowPair = (row) => pair("open", row.label, row.system, row.k);

  /** A probe's place among the verdicts of its row; repeated answers to one question are counted. */
  function probePair(i) {
    const [episode, probe] = probeOf(i).map(string);
    const nth = data.byRow[data.verdicts.row[i]].filter((j) => data.verdicts.probe[j] === data.verdicts.probe[i]).indexOf(i);
    return pair("probe", episode, probe, ...(nth ? [nth + 1] : []));
  }

  function* pairs() {
    for (const name of ["task", "system", "k"]) if (view[name]) yield pair(name, view[name]);
    if (view.depth !== start.depth) yield pair("depth", view.depth);
    if (view.sort) yield pair("sort", (view.down ? "-" : "") + view.sort);
    for (const system of view.hidden) yield pair("without", system);
    if (view.stageK) yield pair("stages", view.stageK);
    if (view.costTask) yield pair("tokens", view.costTask);
    for (const [index, state] of view.open) {
      yield rowPair(rows[index]);
      if (state.verdict !== "") yield pair("verdict", names[state.verdict]);
      if (state.search) yield pair("search", state.search);
      for (const i of state.probes) {
        yield probePair(i);
        if (view.fact && view.fact.at === i) yield pair("fact", view.fact.id);
      }
    }
  }

  const address = (of, place) => of.length || place ? `#${place}${of.length ? `?${of.join("&")}` : ""}` : location.pathname + location.search;

  Memtriage.address = (i, fact = null) => {
    const row = rows[data.verdicts.row[i]];
    const depth = row.depth === start.depth ? [] : [pair("depth", row.depth)];
    return address([...depth, rowPair(row), probePair(i), ...(fact == null ? [] : [pair("fact", fact)])], "table");
  };

  // ---- from an address to what is shown -----------------------------------------------------------
  function decoded(text) {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  }

  /** Sets the view to what an address says; gives what it names and this page doesn't have. */
  function read(hash) {
    const [place, query = ""] = hash.replace(/^#/, "").split("?");
    const missing = [];
    Object.assign(view, { task: "", system: "", k: "", depth: start.depth, sort: "", down: false, fact: null, stageK: "", costTask: "" });
    view.open.clear();
    view.hidden.clear();
    section = byId(place) && byId(place).matches("main > section") ? place : query ? "table" : "";
    let row = null, at = null;
    const among = (values, text, what) => {
      const found = values.find((value) => whole(value) === text);
      if (found === undefined) missing.push(`${what} ${text}`);
      return found;
    };
    const all = (field) => [...new Set(rows.map((r) => r[field]))];
    const readers = {
      task: ([text]) => { view.task = among(all("label"), text, "the task") ?? ""; },
      system: ([text]) => { view.system = among(all("system"), text, "the system") ?? ""; },
      k: ([text]) => { view.k = among(all("k").map(String), text, "k =") ?? ""; },
      depth: ([text]) => { view.depth = among(all("depth"), text, "the depth") ?? start.depth; },
      sort: ([text]) => {
        const keys = [...byId("f-sort").options].map((option) => option.value).filter(Boolean);
        view.down = text.startsWith("-");
        view.sort = among(keys, text.replace(/^-/, ""), "the column") ?? "";
      },
      without: ([text]) => { const found = among(all("system"), text, "the system"); if (found !== undefined) view.hidden.add(found); },
      stages: ([text]) => { view.stageK = among(all("k").map(String), text, "k =") ?? ""; },
      tokens: ([text]) => { view.costTask = among(all("label"), text, "the task") ?? ""; },
      open: ([task = "", system = "", k = ""]) => {
        at = null;
        row = rows.find((r) => r.depth === view.depth && whole(r.label) === task && whole(r.system) === system && String(r.k) === k) || null;
        if (row) view.open.set(row.index, opened());
        else missing.push(`a row for ${task}, ${system} and k = ${k}`);
      },
      verdict: ([text]) => {
        const found = row && among(names, text, "the verdict");
        if (found != null) view.open.get(row.index).verdict = names.indexOf(found);
      },
      search: ([text]) => { if (row) view.open.get(row.index).search = text; },
      probe: ([episode = "", probe = "", nth = "1"]) => {
        const same = row ? data.byRow[row.index].filter((i) => { const [e, p] = probeOf(i).map(string); return whole(e) === episode && whole(p) === probe; }) : [];
        at = same[Number(nth) - 1] ?? null;
        if (at != null) view.open.get(row.index).probes.add(at);
        else missing.push(`the probe ${probe} of ${episode}`);
      },
      fact: ([text]) => {
        const ids = at == null ? [] : data.verdicts.facts[at].map((fact) => string(data.facts[data.judged[fact][0]][0]));
        const id = among(ids, text, "the fact");
        if (id !== undefined) view.fact = { at, id };
      },
    };
    for (const part of query.split("&").filter(Boolean)) {
      const [name, value = ""] = part.split(/=(.*)/s);
      if (Object.hasOwn(readers, name)) readers[name](value.split(",").map(decoded));
    }
    return missing;
  }

  function tell(missing) {
    byId("lost").hidden = !missing.length;
    const sampled = data.sample.shown < data.sample.total ? " It holds only a part of the probes; the rest is in verdicts.jsonl." : "";
    byId("lost").textContent = missing.length ? `This page doesn't have what the link asks for: ${visible(missing.slice(0, 4).join("; "))}.${sampled}` : "";
  }

  /** Scrolls to the last thing that the address names. */
  function goThere() {
    const [index, state] = [...view.open].pop() || [];
    const at = state && [...state.probes].pop();
    const place = !byId("lost").hidden ? byId("lost") : document.querySelector(".fact.chosen")
      || (at != null && document.querySelector(`.probe[data-at="${at}"]`)) || (index != null && document.querySelector(`tr.row[data-row="${index}"]`)) || byId(section);
    if (place) place.scrollIntoView();
  }

  function follow(scroll) {
    tell(read(location.hash));
    redraw();
    // The charts are drawn when the page is laid out, and move what is below them.
    if (scroll) requestAnimationFrame(() => requestAnimationFrame(goThere));
  }

  function write(step) {
    const now = address([...pairs()], section);
    try {
      if (step) history.pushState({ shown: true }, "", now);
      else history.replaceState(history.state, "", now);
    } catch { /* in a frame without an address of its own, or too many steps a second: the page works all the same */ }
  }

  document.addEventListener("changed", ({ detail }) => {
    section = detail.section;
    tell([]);
    if (view.fact && ![...view.open.values()].some((state) => state.probes.has(view.fact.at))) view.fact = null;
    write(detail.step);
  });
  // An entry of ours has a state: the browser goes back to where it was scrolled to. A link has none, and is gone to.
  addEventListener("popstate", (event) => follow(!event.state));
  for (const link of document.querySelectorAll("header nav a, a.skip")) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      section = link.hash.slice(1);
      write(true);
      byId(section).scrollIntoView();
      if (link.matches(".skip")) byId("table-box").focus();
    });
  }
  if (location.hash.length > 1) follow(true);
})();
