// Converts values to places: axes of numbers, logarithms and choices, and the frame around a plot.

/// 1, 2 or 5 times a power of ten, so that `count` steps cover about `span`.
function niceStep(span, count) {
  const raw = span / count, power = 10 ** Math.floor(Math.log10(raw));
  return power * [1, 2, 5, 10].find((factor) => factor * power >= raw * 0.999);
}

function linearTicks(low, high, count) {
  const step = niceStep(high - low, count), ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i) ticks.push(Number((i * step).toPrecision(12)));
  return ticks;
}

function logTicks(low, high, count) {
  const decades = Math.log10(high / low);
  if (decades < 1) return linearTicks(low, high, count).filter((tick) => tick > 0);
  const factors = decades < 2 ? [1, 2, 5] : decades < 3 ? [1, 3] : [1];
  const skip = Math.max(1, Math.ceil(decades / count)), ticks = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power += skip)
    for (const factor of factors) ticks.push(Number((factor * 10 ** power).toPrecision(6)));
  return ticks.filter((tick) => tick >= low * 0.999 && tick <= high * 1.001);
}

/// Ticks for seconds; over a long span, at whole minutes, hours or days.
function timeTicks(low, high, count) {
  const steps = [60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800];
  const step = (high - low) / count > 30 ? steps.find((each) => (high - low) / each <= count) : undefined;
  if (!step) return linearTicks(low, high, count);
  return Array.from({length: Math.floor(high / step) - Math.ceil(low / step) + 1}, (_, i) => (Math.ceil(low / step) + i) * step);
}

const tickText = (value) => {
  const size = Math.abs(value);
  if (value !== 0 && (size < 1e-3 || size >= 1e5)) return value.toExponential().replace("e+", "e");
  return String(Number(value.toPrecision(6)));
};

/// An axis of numbers from `low` to `high`, drawn from `from` to `to`; values outside are drawn at the edge.
function numbers(low, high, from, to, {log = false, count = 5, isTime = false} = {}) {
  if (!(high > low)) [low, high] = log ? [low / 2, high * 2] : [low - 0.5, high + 0.5];
  const scaled = log ? Math.log : (value) => value;
  const unit = (value) => (scaled(value) - scaled(low)) / (scaled(high) - scaled(low));
  const place = (value) => from + Math.min(1, Math.max(0, unit(value))) * (to - from);
  const ticks = (log ? logTicks : isTime ? timeTicks : linearTicks)(low, high, count);
  const text = isTime ? duration : tickText;
  return {place, low, high, log, ticks: ticks.map((tick) => ({place: place(tick), text: text(tick)}))};
}

/// An axis of choices; `spread` from -0.5 to 0.5 moves within a choice's space.
function choices(texts, from, to) {
  const room = (to - from) / texts.length;
  const place = (index, spread = 0) => from + (index + 0.5 + 0.7 * spread) * room;
  return {place, room: Math.abs(room), ticks: texts.map((text, i) => ({place: place(i), text}))};
}

function parameterScale(parameter, from, to, count) {
  return parameter.choices ? choices(parameter.choices, from, to)
                           : numbers(parameter.low, parameter.high, from, to, {log: parameter.log, count});
}

/// The values that an axis must distinguish: those of complete trials, if there are enough of them.
function mattering(trials) {
  const values = (some) => some.filter(hasValue).map((trial) => trial.value);
  const complete = values(trials.filter((trial) => kind(trial) === "complete"));
  return complete.length >= 10 ? complete : values(trials);
}

/// The objective's axis: logarithmic if values span more than two powers of ten. Otherwise a few values that
/// are far worse than most are drawn at the edge, so that the others can be distinguished.
function objectiveScale(values, from, to) {
  const sorted = values.filter(Number.isFinite).sort((a, b) => cost(a) - cost(b));
  if (sorted.length === 0) return null;
  const first = sorted[0], usual = sorted[Math.floor(0.85 * (sorted.length - 1))];
  let last = sorted.at(-1);
  const log = sorted.every((value) => value > 0) && Math.max(first, last) / Math.min(first, last) > 100;
  if (!log && Math.abs(last - first) > 4 * Math.abs(usual - first) && usual !== first) last = usual + 0.6 * (usual - first);
  const margin = log ? 0 : 0.04 * Math.abs(last - first);
  return numbers(Math.min(first, last) - margin, Math.max(first, last) + margin, from, to, {log});
}

const cut = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

function bottomAxis(area, scale, label) {
  const axis = svg("g", {}, svg("line", {class: "axis", x1: area.left, x2: area.right, y1: area.bottom, y2: area.bottom}));
  const most = scale.room ? Math.max(3, Math.floor(scale.room / 6.5)) : 20;
  for (const tick of scale.ticks)
    axis.append(svg("line", {class: "axis", x1: tick.place, x2: tick.place, y1: area.bottom, y2: area.bottom + 4}),
                svg("text", {x: tick.place, y: area.bottom + 16, "text-anchor": "middle"}, cut(tick.text, most)));
  if (label) axis.append(svg("text", {x: area.right, y: area.bottom + 31, "text-anchor": "end"}, label));
  return axis;
}

function leftAxis(area, scale, label) {
  const axis = svg("g");
  for (const tick of scale.ticks)
    axis.append(svg("line", {class: "grid", x1: area.left, x2: area.right, y1: tick.place, y2: tick.place}),
                svg("text", {x: area.left - 7, y: tick.place + 4, "text-anchor": "end"}, tick.text));
  if (label) axis.append(svg("text", {x: 2, y: 11}, label));
  return axis;
}

/// A plot that is drawn again when its width changes; draw(width) returns an SVG element.
function plot(parent, label, draw) {
  const box = html("div", {class: "plot"});
  parent.append(box);
  let width = 0;
  const redraw = () => {
    const now = box.clientWidth && Math.max(180, Math.floor(box.clientWidth));
    if (now === width || now === 0) return;
    width = now;
    const picture = draw(width);
    picture.setAttribute("role", "img");
    picture.setAttribute("aria-label", label);
    box.replaceChildren(picture);
  };
  redraw();
  new ResizeObserver(redraw).observe(box);
  return {redraw: () => { width = 0; redraw(); }};
}

const note = (parent, text) => parent.append(html("p", {class: "note"}, text));
const canvas = (width, height) => svg("svg", {width, height, viewBox: `0 0 ${width} ${height}`});
const path = (points) => `M${points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join("L")}`;
