"use strict";
// The list of runs, runs that are under way, and the choice of what to compare. Data only ever becomes text.
(() => {
  const byId = (id) => document.getElementById(id);
  const root = document.documentElement;
  const number = (x) => x.toLocaleString("en-US");

  function setUpTheme() {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const isDark = () => root.dataset.theme ? root.dataset.theme === "dark" : dark.matches;
    byId("theme").addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; });
  }

  // ---- the list ---------------------------------------------------------------------------------
  const stated = () => new URLSearchParams(location.hash.slice(1));

  function filterRuns() {
    const wanted = stated();
    const form = byId("run-filters");
    for (const field of form.elements) if (field.name && document.activeElement !== field) field.value = wanted.get(field.name) || "";
    const [q, suite, system, since, until] = ["q", "suite", "system", "since", "until"].map((name) => wanted.get(name) || "");
    const words = q.toLowerCase().split(/\s+/).filter(Boolean);
    let left = 0;
    for (const card of byId("runs").children) {
      const { text, date, suites, systems } = card.dataset;
      const fits = words.every((word) => text.includes(word)) && (!suite || JSON.parse(suites).includes(suite))
        && (!system || JSON.parse(systems).includes(system)) && (!since || date >= since) && (!until || (date && date <= until));
      card.hidden = !fits;
      left += fits;
    }
    const all = byId("runs").children.length;
    byId("run-count").textContent = left === all ? `${number(all)} ${all === 1 ? "run" : "runs"}` : `${number(left)} of ${number(all)} runs`;
    byId("none-left").hidden = left > 0 || !all;
  }

  function setUpList() {
    const form = byId("run-filters");
    const changed = (event) => {
      const next = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
      const hash = `#${next}`;
      if (event.type === "input" && event.target.type === "search") location.replace(hash);
      else location.hash = hash;
    };
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", changed);
    addEventListener("hashchange", filterRuns);
    filterRuns();
  }

  // ---- a run that is not finished ---------------------------------------------------------------
  function meter(name, [done, total]) {
    const line = document.createElement("div");
    line.className = "meter";
    const label = document.createElement("span"), count = document.createElement("span"), track = document.createElement("span"), bar = document.createElement("i");
    label.textContent = name;
    count.className = "quiet";
    count.textContent = `${number(done)} of ${number(total)}`;
    track.className = "track";
    bar.style.width = `${total ? Math.min(100, 100 * done / total) : 0}%`;
    track.append(bar);
    line.append(label, count, track);
    return line;
  }

  function showStatus(status) {
    const meters = [];
    if (status.read) meters.push(meter("Probes read", status.read));
    if (status.stores) meters.push(meter("Stores", status.stores), meter("Questions asked", status.questions), ...status.systems.map((s) => meter(s.system, [s.done, s.total])));
    byId("meters").replaceChildren(...meters);
    byId("lead").textContent = status.told;
    byId("cost").textContent = [status.cost, status.answers ? `${number(status.answers)} answers` : ""].filter(Boolean).join(" · ");
    const lines = status.errors ? [`${number(status.errors)} ${status.errors === 1 ? "error" : "errors"} so far`, ...status.reasons.map(([reason, n]) => `${number(n)} × ${reason}`)] : [];
    byId("reasons").replaceChildren(...lines.map((line, i) => {
      const item = document.createElement("li");
      item.className = i ? "quiet" : "";
      item.textContent = line;
      return item;
    }));
  }

  async function follow(section) {
    for (;;) {
      try {
        const reply = await fetch(section.dataset.poll);
        if (!reply.ok) throw new Error(`it says ${reply.status}`);
        const status = await reply.json();
        if (status.state === "ready") return location.reload();
        section.dataset.state = status.state;
        showStatus(status);
        if (status.state === "failed") return;
      } catch (error) {
        byId("lead").textContent = `The server does not answer (${error.message}). Is memtriage view still running?`;
      }
      await new Promise((wake) => setTimeout(wake, section.dataset.state === "reading" ? 300 : 2000));
    }
  }

  setUpTheme();
  if (byId("run-filters")) setUpList();
  const section = document.querySelector("[data-poll]");
  if (section) follow(section);
  const pairing = byId("pairing");
  if (pairing) pairing.addEventListener("change", (event) => {
    // the systems to choose from are those of the runs that are chosen
    const { x, y } = pairing.elements;
    if (event.target.name === "a" || event.target.name === "b") x.value = y.value = "";
    if (Boolean(x.value) === Boolean(y.value)) pairing.submit(); // one system alone still waits for the other
  });
})();
