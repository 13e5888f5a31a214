// Elements, texts, and the element under the pointer. Text from the sweep's data only ever becomes a text
// node or an attribute's value.

const data = JSON.parse(document.getElementById("data").textContent);
const best = data.best === null ? null : data.trials[data.best];
const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes))
    if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value);
  node.append(...children.flat().filter((child) => child !== null));
  return node;
}
const svg = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);
const html = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const at = (id) => document.getElementById(id);

/// Formats a number with four digits; small and large numbers get an exponent.
function num(value) {
  if (typeof value !== "number" || !Number.isFinite(value)) return "–";
  if (Number.isInteger(value) && Math.abs(value) < 1e7) return String(value);
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) return value.toExponential(3).replace(/\.?0+e/, "e").replace("e+", "e");
  return String(Number(value.toPrecision(4)));
}

/// Formats seconds in at most two units.
function duration(seconds) {
  if (!Number.isFinite(seconds)) return "–";
  if (seconds < 60) return `${num(Number(seconds.toPrecision(3)))} s`;
  const two = (value, size, unit, small) => {
    const rest = Math.round((value % size) / (size / (small === "h" ? 24 : 60)));
    return `${Math.floor(value / size)}${unit}` + (rest ? ` ${rest}${small}` : "");
  };
  if (seconds < 3600) return two(Math.round(seconds), 60, "m", "s");
  if (seconds < 86400) return two(Math.round(seconds / 60) * 60, 3600, "h", "m");
  return two(Math.round(seconds / 3600) * 3600, 86400, "d", "h");
}

const percent = (share) => `${num(Number((100 * share).toPrecision(3)))} %`;

/// The state of a trial, as far as plots distinguish it.
function kind(trial) {
  if (["complete", "pruned"].includes(trial.state)) return trial.state;
  return ["running", "waiting", "paused", "withdrawn"].includes(trial.state) ? "open" : "failed";
}

const cost = (value) => (data.objective.maximize ? -value : value);
const hasValue = (trial) => Number.isFinite(trial.value);

/// Complete trials, best first, and the class of each: q6 for the best seventh, q0 for the worst.
const ranked = data.trials.filter((t) => kind(t) === "complete" && hasValue(t)).sort((a, b) => cost(a.value) - cost(b.value));
const rankClass = new Map(ranked.map((trial, i) => [trial.number, `q${6 - Math.floor((7 * i) / ranked.length)}`]));
const classes = (trial) => `${kind(trial)} ${rankClass.get(trial.number) ?? ""}${trial === best ? " best" : ""}`;

/// At most `most` trials: the best ones and a sample of all others. The best are last, so that they are drawn
/// on top.
function thinned(trials, most) {
  const order = (t) => rankClass.has(t.number) ? cost(t.value) : Infinity;
  const sorted = [...trials].sort((a, b) => order(a) - order(b));
  const kept = sorted.slice(0, most / 4), rest = sorted.slice(most / 4), room = most - kept.length;
  const step = Math.max(1, rest.length / room);
  for (let i = 0; Math.floor(i) < rest.length; i += step) kept.push(rest[Math.floor(i)]);
  return kept.reverse();
}

/// A trial's parameter as text.
function valueText(parameter, value) {
  if (value === null) return "–";
  return parameter.choices ? parameter.choices[value] : num(value);
}

function mark(trial, x, y, size = 3.6) {
  const attributes = {class: `mark ${classes(trial)}`, "data-trial": trial.number};
  const shape = kind(trial);
  if (shape === "failed") {
    const s = size - 0.6;
    return svg("path", {...attributes, d: `M${x - s},${y - s}l${2 * s},${2 * s}m0,${-2 * s}l${-2 * s},${2 * s}`});
  }
  if (shape === "open")
    return svg("rect", {...attributes, x: x - size + 1, y: y - size + 1, width: 2 * size - 2, height: 2 * size - 2});
  return svg("circle", {...attributes, cx: x, cy: y, r: trial === best ? size + 1.6 : size});
}

const kMeanings = {complete: "complete", pruned: "stopped early", failed: "without a result", open: "not ended yet"};

/// The legend, with only those marks that occur.
function legend() {
  const entry = (trial, text) =>
    html("span", {}, svg("svg", {width: 14, height: 14}, mark(trial, 7, 7)), text);
  const row = html("div", {class: "legend"});
  if (best) row.append(entry(best, "best"));
  for (const [name, text] of Object.entries(kMeanings)) {
    const example = name === "complete" ? ranked[Math.floor(ranked.length / 6)] : data.trials.find((t) => kind(t) === name);
    if (example && (example !== best || ranked.length > 1)) row.append(entry(example === best ? ranked[1] : example, name === "complete" ? `${text}: the stronger, the better` : text));
  }
  return row;
}

function details(trial) {
  const pairs = [];
  const pair = (name, value) => pairs.push(html("dt", {}, name), html("dd", {}, value));
  if (hasValue(trial)) pair(data.objective.metric, num(trial.value));
  data.parameters.forEach((parameter, i) => {
    if (trial.point[i] !== null) pair(parameter.name, valueText(parameter, trial.point[i]));
  });
  if (trial.reached) pair(data.resource, num(trial.reached));
  if (trial.ran) pair("time", duration(trial.ran));
  if (trial.cause) pair("cause", trial.cause.slice(0, 400));
  return [html("strong", {}, `trial ${trial.number}`), ` ${trial.state}`, html("dl", {class: "pairs"}, pairs)];
}

/// Highlights the trial under the pointer in all plots and in the table.
function watchPointer() {
  const tip = at("tip");
  let hot = null;
  const heat = (number) => {
    if (number === hot) return;
    for (const old of document.querySelectorAll(".hot")) old.classList.remove("hot");
    hot = number;
    tip.hidden = hot === null;
    if (hot === null) return;
    for (const node of document.querySelectorAll(`[data-trial="${hot}"]`)) node.classList.add("hot");
    tip.replaceChildren(...details(data.trials[hot]));
  };
  document.addEventListener("pointermove", (event) => {
    const target = event.target.closest?.("[data-trial]");
    heat(target ? Number(target.dataset.trial) : null);
    if (!target) return;
    const left = event.clientX + 16, top = event.clientY + 14;
    const wide = tip.offsetWidth, high = tip.offsetHeight;
    tip.style.left = `${Math.max(4, left + wide > innerWidth ? event.clientX - wide - 12 : left)}px`;
    tip.style.top = `${Math.max(4, top + high > innerHeight ? event.clientY - high - 12 : top)}px`;
  });
  document.addEventListener("pointerleave", () => heat(null));
}
