// What the page knows: the rows of all tables, as the server's changes have left them.

const kTables = ["jobs", "nodes", "runs", "sweeps", "pipelines", "serves", "schedules"];
const tables = Object.fromEntries(kTables.map((name) => [name, new Map()]));
const clusters = new Map();  // by name: {place, synced, trouble, note, noted}; noted: when the note came
const sortedRows = new Map();  // by table; missing after a change
const redraws = new Set();  // what is called, once per frame, after changes

const keyOf = (cluster, id) => `${cluster}\n${id}`;

function clusterOf(name) {
  if (!clusters.has(name)) clusters.set(name, {name, place: clusters.size, synced: false, trouble: "", note: ""});
  return clusters.get(name);
}

/// Takes in a list of changes. A row is {key, cluster, id, order, row}.
function applyChanges(changes) {
  for (const change of changes) {
    const cluster = clusterOf(change.cluster), table = tables[change.table], key = keyOf(change.cluster, change.id);
    if (change.change === "set" && table)
      table.set(key, {key, cluster: change.cluster, id: change.id, order: change.order ?? "", row: change.row});
    else if (change.change === "drop" && table) table.delete(key);
    else if (change.change === "synced") cluster.synced = true;
    else if (change.change === "lost") cluster.trouble = change.text || "no answer";
    else if (change.change === "back") cluster.trouble = "";
    else if (change.change === "note") Object.assign(cluster, {note: change.text ?? "", noted: Date.now()});
    if (table) sortedRows.delete(change.table);
  }
  redrawSoon();
}

/// How long a note is shown, as in the terminal.
const kNoteMilliseconds = 15_000;
const clustersWithNewNotes = () => [...clusters.values()].filter((cluster) => cluster.note && Date.now() - cluster.noted < kNoteMilliseconds);

function forgetRows() {
  for (const name of kTables) tables[name].clear();
  for (const cluster of clusters.values()) Object.assign(cluster, {synced: false, trouble: "", note: ""});
  sortedRows.clear();
}

/// The rows of a table in order: by cluster, then as the server orders them. Waiting jobs get their positions.
function rowsOf(name) {
  if (sortedRows.has(name)) return sortedRows.get(name);
  const rows = [...tables[name].values()];
  rows.sort((a, b) => clusterOf(a.cluster).place - clusterOf(b.cluster).place ||
                      (a.order < b.order ? -1 : a.order > b.order ? 1 : a.id < b.id ? -1 : 1));
  if (name === "jobs") {
    let line = null, position = 0;
    for (const each of rows) {
      each.position = 0;
      if (each.row.group === undefined) continue;
      const here = keyOf(each.cluster, each.row.group);
      position = here === line ? position + 1 : 1;
      line = here;
      each.position = each.row.position > 0 ? each.row.position : position; // Kueue tells its own
    }
  }
  sortedRows.set(name, rows);
  return rows;
}

let isRedrawDue = false;
function redrawSoon() {
  if (isRedrawDue) return;
  isRedrawDue = true;
  // A page in the background gets no frames, but its rows must not be old when it is looked at.
  const draw = () => { isRedrawDue = false; for (const each of [...redraws]) each(); };
  if (document.hidden) setTimeout(draw, 100);
  else requestAnimationFrame(draw);
}

/// The time that ages are counted from: now, or when a page that does not change was written.
const fixedNow = () => (fixed ? Date.parse(fixed.made) : Date.now());
const ageOf = (time) => (time ? Math.max(0, (fixedNow() - Date.parse(time)) / 1000) : undefined);

/// Seconds in one unit, as tables show them: 45s, 12m, 3h, 4d.
function age(seconds) {
  if (!Number.isFinite(seconds)) return "";
  for (const [size, unit] of [[86400, "d"], [3600, "h"], [60, "m"]])
    if (seconds >= 2 * size) return `${Math.floor(seconds / size)}${unit}`;
  return `${Math.floor(seconds)}s`;
}
