// Views made from kml's reports: a sweep, a run, and runs side by side. They are drawn again while they change.

/// Shows a report in `content`. `load(signal)` returns {data} or {error}; `draw(data)` fills in the parts of
/// the template. `version()` changes when the report has changed.
function showReport(content, {template, load, draw, version}) {
  const stop = new AbortController(), status = html("p", {class: "note", role: "status"}, "Loading…");
  const frame = html("div", {class: "report"});
  content.append(status, frame);
  let shown = null, isLoading = false, lastText = "";
  // A reader who types, or drags across a plot, is not disturbed.
  const isBusy = () => isPressed || (frame.contains(document.activeElement) && document.activeElement.matches("input, select"));
  const refresh = async () => {
    const wanted = version();
    if (isLoading || wanted === shown || isBusy()) return;
    isLoading = true;
    const answer = await load(stop.signal);
    isLoading = false;
    if (answer.aborted || stop.signal.aborted) return;
    shown = wanted;
    status.textContent = answer.data ? "" : answer.error?.what || "kml has said nothing";
    if (!answer.data) return;
    const now = JSON.stringify({...answer.data, made: null});
    if (now === lastText) return;
    lastText = now;
    const scroll = scrollY;
    frame.replaceChildren(at(template).content.cloneNode(true));
    draw(answer.data);
    scrollTo(0, scroll);
  };
  refresh();
  const timer = fixed ? null : setInterval(refresh, 1500);
  return {update: () => {}, close: () => { stop.abort(); clearInterval(timer); watchPointer("nothing", () => []); }};
}

let isPressed = false;
addEventListener("pointerdown", () => { isPressed = true; }, true);
addEventListener("pointerup", () => { isPressed = false; }, true);

/// A report that a static page contains, or the server's.
async function reportOf(kind, key, path, signal) {
  if (!fixed) return ask(path, {signal});
  const data = ownOf(fixed.reports[kind], key);
  return data ? {data} : {error: {what: "this page does not contain its details; kml ui --web shows them"}};
}

const rowVersion = (table, cluster, id) => JSON.stringify(tables[table].get(keyOf(cluster, id))?.row ?? null);

function showSweep(content, cluster, id) {
  const row = tables.sweeps.get(keyOf(cluster, id))?.row;
  const report = showReport(content, {
    template: "sweep-report", draw: (data) => drawSweep(data), version: () => rowVersion("sweeps", cluster, id),
    load: (signal) => reportOf("sweeps", keyOf(cluster, id), `/data/sweep?${queryOf([["cluster", cluster], ["namespace", row?.namespace], ["name", row?.name ?? id]])}`, signal),
  });
  return {...report, command: () => commandOf({cluster, row: row ?? {}}, "sweep", "status", row?.name ?? id)};
}

function showRuns(content, cluster, ids) {
  const query = [["cluster", cluster], ...ids.map((id) => ["name", id])];
  return showReport(content, {
    template: "runs-report", draw: (data) => drawRuns(data),
    version: () => JSON.stringify(rowsOf("runs").filter((item) => ids.includes(item.row.run ?? item.row.name)).map((item) => item.row)),
    load: (signal) => reportOf("runs", ids.join(" "), `/data/runs?${queryOf(query)}`, signal),
  });
}

function showRun(content, cluster, id) {
  const row = tables.runs.get(keyOf(cluster, id))?.row;
  return showRuns(content, cluster, [row?.run ?? row?.name ?? id]);
}
