// The map of GPUs: a square for each GPU of each node, colored by what holds it.

function holderColours() {
  const seen = kept("colours of holders", () => new Map());
  return (holder) => {
    if (!seen.has(holder)) seen.set(holder, seen.size % 8);
    return `series${seen.get(holder)}`;
  };
}

/// One square per GPU; if there are more than 64, a text says how many more.
function gpuSquares(gpus, colour) {
  const squares = [];
  for (const [holder, count] of Object.entries(gpus.heldBy ?? {}))
    for (let i = 0; i < count; ++i) squares.push({holder, class: `gpu held ${colour(holder)}`});
  while (squares.length < (gpus.used ?? 0)) squares.push({holder: "in use", class: "gpu held other"});
  while (squares.length < (gpus.total ?? 0)) squares.push({holder: "free", class: "gpu free"});
  const kMost = 64, more = squares.length - kMost;
  const shown = squares.slice(0, kMost).map((each) => html("i", {class: each.class, title: each.holder}));
  return [...shown, more > 0 ? html("span", {class: "soft"}, `and ${more} more`) : null];
}

function nodeCard(item, colour) {
  const {row} = item, gpus = row.gpus ?? [];
  const holders = gpus.flatMap((each) => Object.entries(each.heldBy ?? {}));
  const memory = row.memory ? `${num(Number((row.memory / 2 ** 30).toPrecision(3)))} GiB` : null;
  return html("li", {class: `node ${stateClass(row.state)}`},
              html("strong", {}, row.name), html("span", {class: `state ${stateClass(row.state)}`}, ` ${row.state ?? ""}`),
              severalClusters() ? html("span", {class: "soft"}, ` ${item.cluster}`) : null,
              html("div", {class: "soft"}, [gpus.map((each) => `${each.free} of ${each.total} ${each.type || "GPU"} free`).join(", ") || "no GPUs",
                                            row.cpus ? `${num(row.cpus)} CPUs` : null, memory].filter(Boolean).join(" · ")),
              gpus.map((each) => html("div", {class: "gpus"}, gpuSquares(each, colour))),
              holders.length > 0 ? html("div", {class: "legend"}, holders.map(([holder, count]) =>
                html("span", {class: colour(holder)}, html("i"), `${holder} × ${count}`))) : null,
              row.cause ? html("div", {class: "cause"}, row.cause) : null,
              row.taints?.length ? html("div", {class: "soft"}, `taints: ${row.taints.join(", ")}`) : null);
}

function showNodes(content) {
  const list = html("ul", {class: "nodes"}), summary = html("p", {class: "soft"});
  content.append(html("section", {class: "card full", tabindex: "-1"}, html("h2", {class: "unseen"}, "nodes"), summary, list));
  let shown = null;
  const update = () => {
    const items = rowsOf("nodes"), colour = holderColours();
    if (items.length === 0) summary.textContent = textWithoutRows("nodes");
    if (items === shown) return;
    shown = items;
    const sums = new Map();
    for (const {row} of items)
      for (const each of row.gpus ?? []) {
        const sum = sums.get(each.type || "GPU") ?? {free: 0, total: 0};
        sums.set(each.type || "GPU", {free: sum.free + (each.free ?? 0), total: sum.total + (each.total ?? 0)});
      }
    const gpus = [...sums].map(([type, sum]) => `${sum.free} of ${sum.total} ${type} free`).join(", ") || "no GPUs";
    if (items.length > 0) summary.textContent = `${items.length} node${items.length === 1 ? "" : "s"}: ${gpus}`;
    list.replaceChildren(...items.slice(0, 1000).map((item) => nodeCard(item, colour)));
  };
  update();
  return {update};
}
