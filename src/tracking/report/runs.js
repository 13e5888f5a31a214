// The page of runs: what differs, curves laid over each other, and each run in detail. Names of metrics,
// parameters and tags are data, so they are only looked up with own().

const runs = data.runs.map((run, number) => ({...run, number}));

const own = (object, name) => (object && Object.hasOwn(object, name) ? object[name] : undefined);
const namesIn = (key) => [...new Set(runs.flatMap((run) => Object.keys(run[key] ?? {})))].sort();
const valueOf = (value) => (typeof value === "number" ? num(value) : typeof value === "string" ? value : JSON.stringify(value));
const colour = (run) => `series${run.number % 8}`;
const shortTime = (time) => time.replace("T", " ").replace("Z", "");

/// The properties of runs as columns of a table.
function properties() {
  const column = (name, value, isMetric = false) => {
    const values = runs.map(value).filter((each) => !isMissing(each));
    return {name, value, text: valueOf, isMetric, isNumber: values.length > 0 && values.every((each) => typeof each === "number")};
  };
  return [
    ...namesIn("metrics").map((name) => column(name, (run) => own(run.metrics, name)?.last, true)),
    ...namesIn("parameters").map((name) => column(name, (run) => own(run.parameters, name))),
    column("code", (run) => run.code),
    ...namesIn("facts").filter((name) => !["changes", "commit"].includes(name)).map((name) => column(name, (run) => own(run.facts, name))),
    ...namesIn("tags").map((name) => column(`tags.${name}`, (run) => own(run.tags, name))),
    column("target", (run) => run.target), column("user", (run) => run.user), column("note", (run) => run.note),
  ].filter((each) => runs.some((run) => !isMissing(each.value(run))));
}

const differs = (column) => new Set(runs.map((run) => JSON.stringify(column.value(run)))).size > 1;

function overview() {
  document.title = `${data.runs.length} runs · kml`;
  at("name").textContent = runs.length === 1 ? runs[0].name : `${runs.length} runs`;
  at("subtitle").textContent = `page made ${shortTime(data.made)}`;
  const all = properties(), same = all.filter((column) => !differs(column) && !column.isMetric);
  const columns = [
    {name: "run", value: (run) => run.name, text: String, type: "name"},
    {name: "id", value: (run) => run.short, text: String},
    {name: "state", value: (run) => run.state + (run.cause ? `: ${run.cause}` : ""), text: String, type: "state"},
    ...all.filter((column) => differs(column) || column.isMetric),
    {name: "time", value: (run) => run.seconds, text: duration, isNumber: true},
    {name: "started", value: (run) => run.time, text: shortTime},
  ];
  table(at("runs"), runs, columns, {
    sorted: columns.at(-1), label: "runs",
    attributes: (run) => ({class: `${run.state === "Failed" ? "failed " : ""}${colour(run)}`, "data-run": run.number}),
  });
  pairs(at("same"), same.map((column) => [column.name, column.text(column.value(runs[0]))]));
  if (same.length === 0) at("same").remove();
}

/// The parts of a course between values that are not finite.
function segments(points) {
  const parts = [[]];
  for (const point of points) {
    if (Number.isFinite(point[1])) parts.at(-1).push(point);
    else if (parts.at(-1).length > 0) parts.push([]);
  }
  return parts.filter((part) => part.length > 0);
}

/// An axis that is logarithmic if the values span more than two powers of ten.
function spreadScale(values, from, to) {
  const low = Math.min(...values), high = Math.max(...values), log = low > 0 && high / low > 100;
  const margin = log ? 0 : 0.04 * (high - low);
  return numbers(low - margin, high + margin, from, to, {log, count: 4});
}

function curve(parent, name) {
  const drawn = runs.map((run) => [run, segments(own(run.courses, name)?.points ?? [])]).filter(([, parts]) => parts.length > 0);
  const points = drawn.flatMap(([, parts]) => parts.flat());
  if (points.length === 0) return;
  const steps = points.map(([step]) => step), values = points.map(([, value]) => value);
  const box = html("div", {class: "curve"});
  parent.append(box);
  plot(box, `The courses of ${name}`, (width) => {
    const area = {left: 58, right: width - 14, top: 24, bottom: 200}, root = canvas(width, 236);
    const across = numbers(Math.min(...steps), Math.max(...steps), area.left, area.right, {count: width / 90});
    const up = spreadScale(values, area.bottom - 4, area.top);
    root.append(leftAxis(area, up, cut(name, 60)), bottomAxis(area, across, "step"));
    const at = ([step, value]) => [across.place(step), up.place(value)];
    for (const [run, parts] of drawn)
      for (const part of parts) {
        const attributes = {class: `series ${colour(run)}`, "data-run": run.number}, [x, y] = at(part[0]);
        root.append(part.length > 1 ? svg("path", {...attributes, class: `line ${attributes.class}`, d: path(part.map(at))})
                                    : svg("circle", {...attributes, class: `dot ${attributes.class}`, cx: x, cy: y, r: 3.5}));
      }
    return root;
  });
}

function curves() {
  const section = at("curves"), names = namesIn("courses");
  if (names.length === 0) return note(section, "These runs have reported no metrics.");
  const grid = html("div", {class: "curves"});
  section.append(grid);
  for (const name of names) curve(grid, name);
  section.append(html("div", {class: "legend"}, runs.map((run) => html("span", {class: colour(run), "data-run": run.number}, html("i"), run.name))));
  const thinned = runs.some((run) => Object.values(run.courses ?? {}).some((course) => course.count > course.points.length));
  if (thinned) note(section, "Of long courses, the smallest and the largest value of each part are drawn.");
}

function rows(header, lines) {
  return html("div", {class: "rows"}, html("table", {}, html("thead", {}, html("tr", {}, header.map((name) => html("th", {class: "plain"}, name)))),
              html("tbody", {}, lines.map((line) => html("tr", {}, line.map((cell) => html("td", {}, isMissing(cell) ? "–" : cell)))))));
}

/// What an artifact is made from, as nested lists.
function lineage(node) {
  const made = node.made, value = node.digest ? `sha256:${node.digest}` : JSON.stringify(node.value);
  const how = node.isAbove ? " (above)" : made ? ` by ${made.run}${made.step ? `/${made.step}` : ""}` : "";
  const inputs = Object.entries(node.inputs ?? {});
  return html("li", {}, html("strong", {}, node.name), ` ${node.kind}${how} `, html("code", {}, value ?? ""),
              made?.code ? html("div", {class: "soft"}, `code ${made.code}`) : null,
              made?.command ? html("div", {class: "soft"}, html("code", {}, made.command.join(" "))) : null,
              inputs.length > 0 ? html("ul", {}, inputs.map(([, input]) => lineage(input))) : null);
}

function oneRun(run) {
  const {facts = {}} = run, part = (title, ...content) => [html("h3", {}, title), ...content];
  const box = html("details", {class: colour(run), "data-run": run.number, open: runs.length === 1 ? "" : null},
                   html("summary", {}, html("i"), html("strong", {}, run.name), ` ${run.short} · ${run.state}${run.cause ? `: ${run.cause}` : ""}`));
  pairs(box, [["note", run.note], ["command", facts.command && html("code", {}, facts.command)], ["image", facts.image], ["GPUs", facts.gpus],
              ["code", run.code], ["folder", facts.folder], ["template", facts.template], ["target", run.target], ["user", run.user],
              ["started", shortTime(run.time)], ["time", isMissing(run.seconds) ? null : duration(run.seconds)]]);
  const parameters = Object.entries(run.parameters ?? {}), metrics = Object.entries(run.metrics ?? {});
  if (parameters.length > 0) box.append(...part("Parameters", rows(["name", "value"], parameters.map(([name, value]) => [name, valueOf(value)]))));
  if (metrics.length > 0)
    box.append(...part("Metrics", rows(["name", "last", "smallest", "largest", "values"],
                                       metrics.map(([name, metric]) => [name, num(metric.last), num(metric.min), num(metric.max), String(metric.count)]))));
  if (run.artifacts?.length > 0) box.append(...part("Artifacts", html("ul", {class: "lineage"}, run.artifacts.map(lineage))));
  if (run.attempts?.length > 0)
    box.append(...part("Attempts", rows(["pod", "node", "started", "ended", "exit", "result"], run.attempts.map((attempt) =>
      [attempt.pod, attempt.node, attempt.start, attempt.end, isMissing(attempt.exitCode) ? null : String(attempt.exitCode), attempt.result]))));
  if (facts.changes) box.append(...part("Uncommitted changes", html("pre", {class: "changes"}, facts.changes)));
  return box;
}

function describeRun(number) {
  const run = runs[number], list = html("dl", {class: "pairs"});
  for (const [name, metric] of Object.entries(run.metrics ?? {}).slice(0, 12)) list.append(html("dt", {}, name), html("dd", {}, num(metric.last)));
  return [html("strong", {}, run.name), ` ${run.state}`, list];
}

overview();
curves();
at("each").append(...runs.map(oneRun));
watchPointer("run", describeRun);
