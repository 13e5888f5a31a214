// The trials of a sweep as plots show them: marks, colors by rank, and the text about each.

const best = data.best === null ? null : data.trials[data.best];
const onFront = new Set(data.front);
const isBest = (trial) => trial === best || onFront.has(trial.number);

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
const classes = (trial) => `${kind(trial)} ${rankClass.get(trial.number) ?? ""}${isBest(trial) ? " best" : ""}`;

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
  return svg("circle", {...attributes, cx: x, cy: y, r: isBest(trial) ? size + 1.6 : size});
}

const kMeanings = {complete: "complete", pruned: "stopped early", failed: "without a result", open: "not ended yet"};

/// The legend, with only those marks that occur.
function legend() {
  const entry = (trial, text) =>
    html("span", {}, svg("svg", {width: 14, height: 14}, mark(trial, 7, 7)), text);
  const row = html("div", {class: "legend"});
  const some = best ?? data.trials.find(isBest);
  if (some) row.append(entry(some, best ? "best" : "on the front"));
  for (const [name, text] of Object.entries(kMeanings)) {
    const example = name === "complete" ? ranked[Math.floor(ranked.length / 6)] : data.trials.find((t) => kind(t) === name);
    const other = example && isBest(example) ? ranked.find((t) => !isBest(t)) : example;
    if (other) row.append(entry(other, name === "complete" ? `${text}: the stronger, the better` : text));
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
