// A pipeline's run: its steps as a graph, each with its state, its time and its cause.

const kBoxWidth = 190, kBoxHeight = 70, kGapAcross = 44, kGapDown = 16;

/// The column of each step: one more than that of the last step that it waits for.
function stepColumns(steps) {
  const byName = new Map(steps.map((step) => [step.name, step])), columns = new Map();
  const columnOf = (step, above) => {
    if (columns.has(step.name)) return columns.get(step.name);
    if (above.has(step.name)) return 0;  // a cycle, which no pipeline has
    above.add(step.name);
    const before = (step.after ?? []).filter((name) => byName.has(name));
    const place = before.length === 0 ? 0 : 1 + Math.max(...before.map((name) => columnOf(byName.get(name), above)));
    above.delete(step.name);
    columns.set(step.name, place);
    return place;
  };
  for (const step of steps) columnOf(step, new Set());
  return columns;
}

function stepTime(step) {
  if (!step.began) return "";
  const end = step.ended ? Date.parse(step.ended) : fixedNow();
  return duration(Math.max(0, Math.round((end - Date.parse(step.began)) / 1000)));
}

/// In a narrow window the graph runs from top to bottom.
function drawDag(steps, width, pick) {
  const columns = stepColumns(steps), isNarrow = width < 700, lines = [], places = new Map();
  for (const step of steps) {
    const line = columns.get(step.name);
    (lines[line] ??= []).push(step);
  }
  const stepAcross = kBoxWidth + (isNarrow ? 14 : kGapAcross), stepDown = kBoxHeight + (isNarrow ? 30 : kGapDown);
  lines.forEach((line, i) => line.forEach((step, j) =>
    places.set(step.name, isNarrow ? [j * stepAcross + 1, i * stepDown + 1] : [i * stepAcross + 1, j * stepDown + 1])));
  const longest = Math.max(1, ...lines.map((line) => line.length));
  const size = isNarrow ? [longest * stepAcross, lines.length * stepDown] : [lines.length * stepAcross, longest * stepDown];
  const root = svg("svg", {width: size[0], height: size[1], viewBox: `0 0 ${size[0]} ${size[1]}`, class: "dag"});
  for (const step of steps)
    for (const name of step.after ?? []) {
      if (!places.has(name)) continue;
      const [fromX, fromY] = places.get(name), [toX, toY] = places.get(step.name);
      const begin = isNarrow ? [fromX + kBoxWidth / 2, fromY + kBoxHeight] : [fromX + kBoxWidth, fromY + kBoxHeight / 2];
      const end = isNarrow ? [toX + kBoxWidth / 2, toY] : [toX, toY + kBoxHeight / 2], middle = isNarrow ? (begin[1] + end[1]) / 2 : (begin[0] + end[0]) / 2;
      root.append(svg("path", {class: "edge", d: isNarrow ? `M${begin}C${begin[0]},${middle} ${end[0]},${middle} ${end}` : `M${begin}C${middle},${begin[1]} ${middle},${end[1]} ${end}`}));
    }
  for (const step of steps) {
    const [x, y] = places.get(step.name);
    const box = svg("g", {class: `step ${stateClass(step.state)}`, tabindex: "0", role: "button", "data-step": step.name, "aria-label": `${step.name} ${step.state}`},
                    svg("rect", {x, y, width: kBoxWidth, height: kBoxHeight, rx: 7}),
                    svg("text", {class: "title", x: x + 10, y: y + 20}, cutText(step.name, 24)),
                    svg("text", {x: x + 10, y: y + 38}, cutText([step.state, stepTime(step)].filter(Boolean).join(" · "), 28)),
                    svg("text", {class: "cause", x: x + 10, y: y + 56}, cutText(step.cause ?? "", 28)),
                    svg("title", {}, `${step.name}: ${step.state}${step.cause ? `\n${step.cause}` : ""}`));
    box.addEventListener("click", () => pick(step.name));
    box.addEventListener("keydown", (event) => { if (event.key === "Enter") { pick(step.name); event.stopPropagation(); } });
    root.append(box);
  }
  return root;
}

const cutText = (words, most) => (words.length > most ? `${words.slice(0, most - 1)}…` : words);

function showPipeline(content, cluster, id) {
  const title = html("h1", {}), facts = html("p", {class: "soft"}), cause = html("p", {class: "cause"});
  const graph = html("div", {class: "plot"}), details = html("section", {class: "card full", "aria-live": "polite"});
  content.append(html("section", {class: "card full"}, title, facts, cause, graph), details);
  let picked = null, shown = "";
  const update = () => {
    const item = tables.pipelines.get(keyOf(cluster, id));
    if (!item) return void (facts.textContent = textWithoutRow(cluster, "run"));
    const {row} = item, steps = row.steps ?? [];
    // A run that has ended is drawn once, so that it can be read and selected.
    const now = row.ended || fixed ? `${JSON.stringify(row)} ${picked} ${content.clientWidth}` : "";
    if (now && now === shown) return;
    shown = now;
    document.title = `${row.name} · kml ui`;
    title.textContent = row.name;
    facts.textContent = [row.state, row.pipeline && `pipeline ${row.pipeline}`, row.began && `begun ${age(ageOf(row.began))} ago`, row.engine && `engine: ${row.engine}`].filter(Boolean).join(" · ");
    cause.textContent = row.cause ?? "";
    const focused = document.activeElement?.dataset?.step;
    graph.replaceChildren(drawDag(steps, content.clientWidth, (name) => { picked = name; update(); }));
    if (focused) graph.querySelector(`[data-step="${CSS.escape(focused)}"]`)?.focus();
    const step = steps.find((each) => each.name === picked) ?? steps.find((each) => stateClass(each.state) === "bad") ?? steps[0];
    if (!step) return;
    details.replaceChildren(html("h2", {}, step.name));
    pairs(details, [["state", step.state], ["time", stepTime(step)], ["cause", step.cause], ["ran because", step.ranBecause], ["waits for", (step.after ?? []).join(", ")],
                    ["result of", step.from], ...Object.entries(step.outputs ?? {}).map(([name, value]) => [`output ${name}`, outputText(value)])]);
    if (step.job) {
      const job = rowsOf("jobs").find((each) => each.cluster === cluster && each.row.name === step.job);
      details.append(html("p", {}, "job ", job ? html("a", {href: addressOf("job", job)}, step.job) : step.job));
    }
  };
  update();
  return {update, command: () => commandOf({cluster, row: tables.pipelines.get(keyOf(cluster, id))?.row ?? {}}, "run", "status", title.textContent || id)};
}

const outputText = (value) => (value && typeof value === "object" ? value.path ?? value.value ?? (value.digest ? `sha256:${value.digest}` : JSON.stringify(value)) : String(value));
