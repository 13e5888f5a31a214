// The views that are tables: jobs, queue, runs, sweeps, pipelines, served models, schedules.

const severalClusters = () => clusters.size > 1;
const stateKind = (item) => `state ${stateClass(item.row.state ?? "")}`;

function stateClass(state) {
  const word = String(state).toLowerCase();
  if (/fail|crash|lost|error|not ready|interrupted|unreadable/.test(word)) return "bad";
  if (/^(running|serving|starting)/.test(word)) return "busy";
  if (/^(succeeded|done|complete|cached|ready|active|ended)/.test(word)) return "good";
  return /wait|queue|suspend|paused|cordon|cancelling/.test(word) ? "held" : "";
}

const text = (name) => (item) => item.row[name];
const column = (name, width, rank, more = {}) => ({name, width, rank, text: text(name), ...more});
const number = (name, width, rank, value, more = {}) =>
  ({name, width, rank, isNumber: true, value, text: (item) => { const found = value(item); return found === undefined || found === null ? "" : num(found); }, ...more});
const since = (name, width, rank, of) => ({name, width, rank, isNumber: true, value: (item) => ageOf(of(item)), text: (item) => age(ageOf(of(item)))});

const nameColumn = () => ({name: "name", width: 130, grows: 1, rank: 0, text: text("name"), kind: () => "name"});
const stateColumn = () => ({name: "state", width: 96, rank: 0, text: text("state"), kind: stateKind});
/// Why a row is in its state. The time until a job's next attempt passes, so it is not part of the cause.
function causeOf({cause, message, nextAttempt}) {
  if (!nextAttempt) return cause ?? message;
  const seconds = (Date.parse(nextAttempt) - fixedNow()) / 1000;
  return [`next attempt ${seconds > 0 ? `in about ${age(seconds)}` : "soon"}`, cause].filter(Boolean).join(": ");
}
const causeColumn = () => ({name: "why", width: 150, grows: 1.6, rank: 1, text: (item) => causeOf(item.row), kind: () => "cause"});
const clusterColumn = () => ({name: "cluster", width: 110, rank: 2, text: (item) => item.cluster});
const places = () => [...(severalClusters() ? [clusterColumn()] : []), column("namespace", 110, 6)];

/// How long a job has been running or waiting, or ran. A suspended job does neither.
function timeOf({row}) {
  if (row.waitingSince || !row.started) return ageOf(row.waitingSince);
  return row.finished ? (Date.parse(row.finished) - Date.parse(row.started)) / 1000 : ageOf(row.started);
}

const jobColumns = () => [
  nameColumn(), stateColumn(), causeColumn(),
  number("GPUs", 60, 2, (item) => item.row.gpus),
  {name: "pods", width: 64, rank: 5, isNumber: true, text: text("podCounts")},
  column("user", 100, 4), ...places(),
  {name: "time", width: 64, rank: 2, isNumber: true, value: timeOf, text: (item) => age(timeOf(item))},
  since("submitted", 84, 7, (item) => item.row.created),
];

const queueColumns = () => [
  {name: "#", width: 46, rank: 0, isNumber: true, value: (item) => item.position || undefined, text: (item) => item.position || ""},
  ...jobColumns().filter((each) => each.name !== "submitted"),
  column("queue", 110, 7), number("priority", 76, 6, (item) => item.row.priority),
];

function metricColumns(rows) {
  const counts = new Map();
  for (const {row} of rows.slice(0, 200))
    for (const name of Object.keys(row.metrics ?? {})) counts.set(name, (counts.get(name) ?? 0) + 1);
  const most = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 4).map(([name]) => name).sort();
  return most.map((name, i) => number(name, 92, 3 + i, (item) => {
    const last = ownOf(item.row.metrics, name)?.last;
    return typeof last === "number" ? last : undefined;
  }));
}

const ownOf = (object, name) => (object && Object.hasOwn(object, name) ? object[name] : undefined);

const runColumns = (rows, chosen) => [
  {name: "✓", width: 34, rank: 0, text: (item) => (chosen.has(item.key) ? "☑" : "☐"), kind: () => "choice"},
  nameColumn(), stateColumn(), column("kind", 76, 5), ...metricColumns(rows), causeColumn(),
  column("note", 140, 8), column("user", 100, 7), ...(severalClusters() ? [clusterColumn()] : []),
  since("started", 76, 2, (item) => item.row.time),
];

/// A small plot of values.
function spark(values, width = 110, height = 20) {
  const finite = (values ?? []).filter(Number.isFinite);
  if (finite.length < 2) return null;
  const low = Math.min(...finite), high = Math.max(...finite), room = high > low ? high - low : 1;
  const points = finite.map((value, i) => [(i * (width - 2)) / (finite.length - 1) + 1, height - 3 - ((value - low) / room) * (height - 6)]);
  return svg("svg", {class: "spark", width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true"},
             svg("path", {class: "front", d: `M${points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join("L")}`}));
}

const trialsText = ({row}) => (row.trials ? `${row.trials.ended ?? 0}/${row.trials.planned ?? "?"}` : "");
const bestText = ({row}) => {
  const value = row.best && typeof row.best === "object" ? row.best.value : row.best;
  return typeof value === "number" ? num(value) : value === undefined || value === null ? "" : String(value);
};
const sweepColumns = () => [
  nameColumn(), stateColumn(), {name: "trials", width: 80, rank: 1, isNumber: true, text: trialsText},
  number("running", 76, 4, (item) => item.row.running),
  {name: "best", width: 92, rank: 2, isNumber: true, text: bestText},
  {name: "history", width: 128, rank: 3, text: () => "", draw: (item) => spark(item.row.history)},
  {name: "objective", width: 140, rank: 6, text: ({row}) => (typeof row.objective === "string" ? row.objective : row.objective?.metric)},
  causeColumn(), ...(severalClusters() ? [clusterColumn()] : []), since("begun", 76, 5, (item) => item.row.begun),
];

const stepsText = ({row}) => {
  const steps = row.steps ?? [], over = steps.filter((step) => !["waiting", "running"].includes(step.state)).length;
  return `${over}/${steps.length}`;
};
const pipelineColumns = () => [
  nameColumn(), stateColumn(), column("pipeline", 140, 4), {name: "steps", width: 76, rank: 1, isNumber: true, text: stepsText},
  causeColumn(), ...(severalClusters() ? [clusterColumn()] : []), since("begun", 76, 2, (item) => item.row.began),
];

const serveColumns = () => [
  nameColumn(), stateColumn(), {name: "ready", width: 76, rank: 1, isNumber: true, text: ({row}) => `${row.ready ?? 0}/${row.replicas ?? "?"}`},
  column("revision", 84, 5), column("address", 240, 3), causeColumn(), ...places(), since("age", 64, 4, (item) => item.row.created),
];

/// "2026-01-31 23:59", in the schedule's time zone, or in UTC if the browser does not know the zone.
function minuteIn(zone, time) {
  if (!Number.isFinite(Date.parse(time))) return "";
  const textIn = (timeZone) => new Intl.DateTimeFormat("sv-SE", {timeZone, dateStyle: "short", timeStyle: "short"}).format(new Date(time));
  try { return textIn(zone || "UTC"); } catch { return `${textIn("UTC")} UTC`; }
}

const scheduleColumns = () => [
  nameColumn(), stateColumn(), {name: "schedule", width: 160, rank: 1, text: ({row}) => (row.once ? "once" : row.schedule ?? row.cron ?? row.watch)},
  {name: "next", width: 150, rank: 2, value: ({row}) => row.next, text: ({row}) => minuteIn(row.zone, row.next)}, column("zone", 120, 3),
  {name: "last job", width: 150, rank: 5, text: text("lastJob")}, column("result", 90, 4), causeColumn(), ...places(),
];

/// The views, in the order of those in the terminal. What can be opened has a page.
const kViews = [
  {name: "queue", table: "jobs", columns: queueColumns, page: "job", only: (item) => item.row.active, rows: "active jobs", command: ["queue", "-A"]},
  {name: "jobs", table: "jobs", columns: jobColumns, page: "job", command: ["list", "-A"]},
  {name: "nodes", table: "nodes", command: ["top", "nodes"]},
  {name: "runs", table: "runs", columns: runColumns, page: "run", chooses: true, command: ["runs"]},
  {name: "sweeps", table: "sweeps", columns: sweepColumns, page: "sweep", command: ["sweep", "list"]},
  {name: "pipelines", table: "pipelines", columns: pipelineColumns, page: "pipeline", command: ["run", "list"]},
  {name: "serves", table: "serves", columns: serveColumns, command: ["serve", "list", "-A"]},
  {name: "schedules", table: "schedules", columns: scheduleColumns, command: ["schedule", "list", "-A"]},
];

const kNamedByUsers = new Set(["heldBy", "metrics", "parameters", "tags"]), kIds = new Set(["uid", "submitId"]);

/// Adds what a reader sees of a value: texts, numbers, and names that users have chosen. The other names and
/// `true` are kml's, and nobody searches for an id.
function addWords(value, isNamedByUsers, words) {
  if (typeof value === "string" || typeof value === "number") words.push(value);
  if (!value || typeof value !== "object") return;
  for (const [name, member] of Object.entries(value)) {
    if (kIds.has(name)) continue;
    if (isNamedByUsers) words.push(name);
    addWords(member, kNamedByUsers.has(name), words);
  }
}

function searchText(item) {
  if (item.search !== undefined) return item.search;
  const words = [item.cluster];
  addWords(item.row, false, words);
  return item.search = words.join(" ").toLowerCase();
}

/// What stands in the place of rows. They are missing only if all clusters could be read.
function textWithoutRows(rows, hasFilter = false) {
  const unread = [...clusters.values()].filter((each) => !each.synced);
  if (clusters.size === 0 || unread.some((each) => !each.trouble)) return "Loading…";
  if (unread.length > 0) return `The ${rows} of ${unread.map((each) => each.name).join(", ")} are unknown.`;
  return `No ${rows}${hasFilter ? " match" : ""}.`;
}

/// What stands in the place of a row that is not there.
function textWithoutRow(cluster, what) {
  const known = clusters.get(cluster);
  if (known && !known.synced && known.trouble) return `${cluster} cannot be read, so this ${what} is unknown.`;
  return fixed || (connection.isOpen && known?.synced) ? `This ${what} does not exist any more.` : "Loading…";
}

/// Shows a table; returns what the page's keys act on.
function showTable(content, view) {
  const filter = kept(`filter of ${view.name}`, () => ({words: ""}));
  const input = html("input", {type: "search", placeholder: "filter: /", value: filter.words, "aria-label": `filter the ${view.name}`});
  const count = html("span", {class: "soft count"}), compare = html("button", {type: "button", hidden: ""}, "compare");
  const tools = html("div", {class: "tools"}, input, count, view.chooses ? compare : null);
  const box = html("section", {class: "card full table"}, html("h2", {class: "unseen"}, view.name), tools);
  content.append(box);
  document.body.classList.add("fits");
  const matching = () => {
    const words = filter.words.toLowerCase().split(/\s+/).filter(Boolean);
    const all = rowsOf(view.table).filter((item) => !view.only || view.only(item));
    const found = words.length > 0 ? all.filter((item) => words.every((word) => searchText(item).includes(word))) : all;
    count.textContent = found.length === all.length ? `${all.length}` : `${found.length} of ${all.length}`;
    return found;
  };
  const chosen = kept(`chosen of ${view.name}`, () => new Set());
  const choose = () => {
    compare.hidden = chosen.size < 2;
    compare.textContent = `compare ${chosen.size} runs`;
  };
  const columns = () => view.columns(rowsOf(view.table), chosen);
  const shown = grid(box, {
    label: view.name, columns: columns(), rows: matching, choose: view.chooses ? choose : null,
    open: view.page ? (item) => go(addressOf(view.page, item)) : null,
    empty: () => textWithoutRows(view.rows ?? view.name, Boolean(filter.words)),
  });
  choose();
  compare.addEventListener("click", () => {
    const items = rowsOf("runs").filter((item) => chosen.has(item.key));
    go(`#/compare/${encodeURIComponent(items[0].cluster)}/${items.map((item) => encodeURIComponent(item.row.run ?? item.row.name)).join("/")}`);
  });
  input.addEventListener("input", () => { filter.words = input.value; shown.update(); });
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== "Escape" && event.key !== "ArrowDown") return;
    if (event.key === "Escape") { input.value = filter.words = ""; shown.update(); }
    shown.focus();
    event.preventDefault();
    event.stopPropagation();
  });
  shown.focus();
  // Metrics, and the clusters of several, become known with the rows.
  const update = () => { shown.use(columns()); shown.update(); };
  return {update, press: shown.press, selected: shown.selected, filter: input, close: () => document.body.classList.remove("fits")};
}

const addressOf = (page, item) => `#/${page}/${encodeURIComponent(item.cluster)}/${encodeURIComponent(item.id)}`;
