"use strict";
// Draws a chart as SVG: axes, lines with whiskers, stacked bars, and a tip for what the pointer is on.
// Labels and tips become text nodes: nothing here ever parses a string as markup.
const Drawing = (() => {
  const NEAR = 13; // how close to a point, in pixels, its tip shows
  const MARKS = { // each in a box of 26 by 12, around its middle
    circle: "M13 2a4 4 0 1 0 .01 0z", square: "M9.5 2.5h7v7h-7z", diamond: "M13 1l5 5-5 5-5-5z", "triangle-up": "M13 1l5 9H8z",
    cross: "M11.5 1h3v3.5H18v3h-3.5V11h-3V7.5H8v-3h3.5z", star: "M13 .5l1.6 3.6 3.9.4-2.9 2.6.8 3.9L13 9l-3.4 2 .8-3.9-2.9-2.6 3.9-.4z",
    "triangle-down": "M8 2h10l-5 9z", pentagon: "M13 1l5 3.7-2 5.8h-6l-2-5.8z", hexagon: "M10 1.5h6l3 4.5-3 4.500h-6L7 6z", x: "M9 1l4 3.5L17 1l1 1.500L15 6l3 3.5-1 1.5-4-3.500L9 11l-1-1.500L11 6 8 2.500z",
  };
  const DASHES = { solid: "none", dash: "6 4", dot: "2 3", dashdot: "6 3 2 3", longdash: "9 4" };

  function svg(tag, attributes = {}, ...children) {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) if (value != null) node.setAttribute(name, value);
    node.append(...children);
    return node;
  }

  let pen;
  function width(text) {
    pen ??= document.createElement("canvas").getContext("2d");
    pen.font = `12px ${getComputedStyle(document.body).fontFamily}`;
    return pen.measureText(text).width;
  }

  /** A line and a mark as the legend shows them. */
  function sample(colour, dash, symbol) {
    return svg("svg", { viewBox: "0 0 26 12", "aria-hidden": "true" },
      svg("path", { d: "M0 6H26", stroke: colour, "stroke-width": 2, "stroke-dasharray": DASHES[dash] }), svg("path", { d: MARKS[symbol], fill: colour }));
  }

  let patterns = 0;
  const tip = Object.assign(document.createElement("div"), { className: "tip", hidden: true });

  function showTip(lines, x, y) {
    const [first, ...rest] = lines;
    const head = document.createElement("b");
    head.textContent = first;
    tip.replaceChildren(head, ...rest.flatMap((line) => [document.createElement("br"), line]));
    if (!tip.isConnected) document.body.append(tip);
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - box.width - 4))}px`;
    tip.style.top = `${y + 16 + box.height > innerHeight ? Math.max(4, y - box.height - 10) : y + 16}px`;
  }

  const hideTip = () => { tip.hidden = true; };

  /** The ticks that have room beside each other, evenly thinned out. */
  function withRoom(ticks, place) {
    const fits = (list) => list.every(([value, text], i) => !i || place(value) - place(list[i - 1][0]) >= (width(text) + width(list[i - 1][1])) / 2 + 6);
    let list = ticks;
    for (let step = 2; !fits(list) && step <= ticks.length; step++) list = ticks.filter((_, i) => i % step === 0);
    return list;
  }

  const LINE = 13; // the height of a name
  const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

  /**
   * Names beside their points, as near as possible and clear of each other; of the points too, if there is room. One that
   * has no room at all is left out: the tip has it.
   */
  function placed(names, frame) {
    const points = names.map(({ x, y }) => ({ left: x - 6, right: x + 6, top: y - 6, bottom: y + 6 }));
    const found = [];
    for (const name of names.sort((a, b) => a.y - b.y)) {
      const wide = width(name.text);
      const boxes = [];
      const near = [0, 1, -1, 2, -2], far = Array.from({ length: Math.ceil((frame.bottom - frame.top) / LINE) }, (_, i) => [i + 3, -i - 3]).flat();
      for (const steps of [near, far]) {
        for (const left of [name.x + 9, name.x - 9 - wide]) {
          for (const step of steps) boxes.push({ left, right: left + wide, top: name.y + (step - 0.5) * LINE, bottom: name.y + (step + 0.5) * LINE });
        }
      }
      const free = boxes.filter((box) => box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= frame.bottom
        && !found.some((other) => meet(box, other)));
      const box = free.slice(0, 2 * near.length).find((each) => !points.some((point) => meet(each, point))) || free[0];
      if (box) found.push({ ...box, name });
    }
    return found;
  }

  /**
   * Draw a figure into a box, in place of what it holds.
   *
   * figure: height, x and y ({ range, ticks: [[value, text]], grid, title; rule, a line across at a value of y }), and lines ({ name, colour, dash,
   * symbol, points: [{ x, y, low, high, across (low and high are of x), size, text, tip }] }) or bars ({ name, row, from, to, class, tip }). A tip is a list of lines.
   */
  function draw(box, figure, name) {
    const { height, x, y, lines = [], bars = [] } = figure;
    const wide = box.clientWidth || 360;
    const left = Math.min(Math.max(...y.ticks.map(([, text]) => width(text)), 24) + 12, wide / 2), right = 18, top = 10, bottom = x.title ? 46 : 26;
    const place = ([low, high], from, to) => (value) => from + (value - low) / (high - low) * (to - from);
    const px = place(x.range, left, wide - right), py = place(y.range, height - bottom, top);
    const root = svg("svg", { width: wide, height, viewBox: `0 0 ${wide} ${height}`, role: "img", "aria-label": name });
    const tips = [];
    const tipped = (node, lines, at) => {
      node.dataset.tip = tips.push({ lines, at }) - 1;
      return node;
    };

    for (const [value, text] of y.ticks) {
      if (y.grid) root.append(svg("path", { class: "grid", d: `M${left} ${py(value)}H${wide - right}` }));
      root.append(svg("text", { class: "tick", x: left - 8, y: py(value) + 4, "text-anchor": "end" }, text));
    }
    if (y.rule != null) root.append(svg("path", { class: "rule", d: `M4 ${py(y.rule)}H${wide - right}` }));
    for (const [value, text] of withRoom(x.ticks, px)) {
      if (x.grid) root.append(svg("path", { class: "grid", d: `M${px(value)} ${top}V${height - bottom}` }));
      root.append(svg("text", { class: "tick", x: Math.min(px(value), wide - width(text) / 2 - 1), y: height - bottom + 17, "text-anchor": "middle" }, text));
    }
    if (x.title) root.append(svg("text", { class: "tick", x: (left + wide - right) / 2, y: height - 6, "text-anchor": "middle" }, x.title));

    const hatch = `hatch-${patterns++}`;
    const thick = bars.length ? Math.abs(py(1) - py(0)) * 0.68 : 0;
    for (const bar of bars) {
      const shape = { x: px(bar.from), y: py(bar.row) - thick / 2, width: Math.max(px(bar.to) - px(bar.from), 0), height: thick };
      root.append(tipped(svg("rect", { class: `piece ${bar.class}`, ...shape }), bar.tip));
      if (bar.hatched) root.append(svg("rect", { class: "hatched", fill: `url(#${hatch})`, ...shape }));
    }
    if (bars.some((bar) => bar.hatched)) {
      root.append(svg("defs", {}, svg("pattern", { id: hatch, width: 5, height: 5, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, svg("path", { class: "hatch", d: "M1 0V5" }))));
    }

    const beside = [];
    for (const { name: of, colour, dash, symbol, points } of lines) {
      const group = svg("g", { class: "line", "data-name": of });
      group.append(svg("path", { class: "joined", stroke: colour, "stroke-dasharray": DASHES[dash], d: points.map((p, i) => `${i ? "L" : "M"}${px(p.x)} ${py(p.y)}`).join("") }));
      for (const p of points) {
        const [cx, cy, size] = [px(p.x), py(p.y), (p.size || 8) / 9];
        const whisker = p.across ? (end) => `M${cx} ${cy}H${px(end)}m0 -3v6` : (end) => `M${cx} ${cy}V${py(end)}m-3 0h6`;
        if (p.across) group.append(svg("path", { class: "stem", stroke: colour, d: `M${px(0)} ${cy}H${cx}` }));
        if (p.low != null) group.append(svg("path", { class: "errorbar", stroke: colour, d: [p.low, p.high].map(whisker).join("") }));
        group.append(tipped(svg("path", { class: "mark", fill: colour, d: MARKS[symbol], transform: `translate(${cx - 13 * size} ${cy - 6 * size}) scale(${size})`, "data-x": p.x, "data-y": p.y }), p.tip, [cx, cy]));
        if (p.text) beside.push({ x: cx, y: cy, text: p.text, colour });
      }
      root.append(group);
    }

    for (const box of placed(beside, { left: left + 2, right: wide - 2, top: 2, bottom: height - bottom })) {
      const middle = (box.top + box.bottom) / 2, { x: at, y: line, text, colour } = box.name;
      const side = box.left > at ? box.left - 2 : box.right + 2;
      if (Math.abs(middle - line) > 1) root.append(svg("path", { class: "leader", stroke: colour, d: `M${at} ${line}L${side} ${middle}` }));
      root.append(svg("text", { class: "beside", x: box.left, y: middle + 4 }, text));
    }

    root.addEventListener("pointermove", (event) => {
      const under = event.target.closest("[data-tip]");
      const frame = root.getBoundingClientRect();
      const away = ({ at }) => Math.hypot(event.clientX - frame.left - at[0], event.clientY - frame.top - at[1]);
      const near = tips.filter(({ at }) => at).sort((a, b) => away(a) - away(b))[0];
      const found = under ? tips[under.dataset.tip] : near && away(near) <= NEAR ? near : null;
      if (found) showTip(found.lines, event.clientX, event.clientY); else hideTip();
    });
    root.addEventListener("pointerleave", hideTip);
    box.replaceChildren(root);
  }

  return { draw, sample, width, symbols: Object.keys(MARKS), dashes: Object.keys(DASHES) };
})();
