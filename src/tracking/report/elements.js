// Elements, texts, and the element under the pointer. Text from the data only ever becomes a text node or an
// attribute's value.

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

/// What a reader has chosen in a part of the page. It stays when the part is drawn again with newer data.
const keptByName = new Map();
function kept(name, make) {
  if (!keptByName.has(name)) keptByName.set(name, make());
  return keptByName.get(name);
}

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

function pairs(parent, entries) {
  const list = html("dl", {class: "pairs"});
  for (const [name, value] of entries)
    if (value !== null && value !== undefined && value !== "") list.append(html("dt", {}, name), html("dd", {}, value));
  parent.append(list);
}

/// Highlights what belongs to the item under the pointer, in all plots and in the table: the elements with the
/// same `data-KIND`. Shows describe(its number), a list of nodes, beside the pointer. A second call replaces
/// the first.
let pointerWatch = null;
function watchPointer(kind, describe) {
  const tip = at("tip");
  pointerWatch?.abort();
  pointerWatch = new AbortController();
  const {signal} = pointerWatch;
  tip.hidden = true;
  let hot = null;
  const heat = (number) => {
    if (number === hot) return;
    for (const old of document.querySelectorAll(".hot")) old.classList.remove("hot");
    hot = number;
    tip.hidden = hot === null;
    if (hot === null) return;
    for (const node of document.querySelectorAll(`[data-${kind}="${hot}"]`)) node.classList.add("hot");
    tip.replaceChildren(...describe(hot));
  };
  document.addEventListener("pointermove", (event) => {
    const target = event.target.closest?.(`[data-${kind}]`);
    heat(target ? Number(target.dataset[kind]) : null);
    if (!target) return;
    const left = event.clientX + 16, top = event.clientY + 14;
    const wide = tip.offsetWidth, high = tip.offsetHeight;
    tip.style.left = `${Math.max(4, left + wide > innerWidth ? event.clientX - wide - 12 : left)}px`;
    tip.style.top = `${Math.max(4, top + high > innerHeight ? event.clientY - high - 12 : top)}px`;
  }, {signal});
  document.addEventListener("pointerleave", () => heat(null), {signal});
}
