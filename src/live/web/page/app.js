// The page: its views by address, the keys, and the connection's state.

const content = at("content"), views = at("views"), status = at("connection");
let view = null;

const kPages = {
  job: (cluster, id) => showJob(content, cluster, id),
  sweep: (cluster, id) => showSweep(content, cluster, id),
  pipeline: (cluster, id) => showPipeline(content, cluster, id),
  run: (cluster, id) => showRun(content, cluster, id),
  compare: (cluster, ...ids) => showRuns(content, cluster, ids),
};

/// A page in a frame without an address of its own, as in a notebook, keeps its place itself.
const isNameless = location.protocol === "about:";
let ownAddress = "";
function go(address) {
  if (!isNameless) location.hash = address;
  else { ownAddress = address; show(); }
}

const partsOfAddress = () => (isNameless ? ownAddress : location.hash).replace(/^#\/?/, "").split("/").map((part) => { try { return decodeURIComponent(part); } catch { return ""; } });

function show() {
  const [name, ...rest] = partsOfAddress();
  const table = kViews.find((each) => each.name === name);
  view?.close?.();
  view = null;
  content.replaceChildren();
  document.title = "kml ui";
  scrollTo(0, 0);
  for (const link of views.children) link.firstChild.setAttribute("aria-current", link.dataset.view === parentOf(name) ? "page" : "false");
  if (Object.hasOwn(kPages, name) && rest.length > 1) view = kPages[name](...rest);
  else if (table) view = name === "nodes" ? showNodes(content) : showTable(content, table);
  else go(`#/${kViews[0].name}`);
}

const parentOf = (name) => ({job: "jobs", run: "runs", compare: "runs", sweep: "sweeps", pipeline: "pipelines"})[name] ?? name;

function showConnection() {
  const lost = [...clusters.values()].filter((cluster) => cluster.trouble).map((cluster) => `${cluster.name}: ${cluster.trouble}`);
  const notes = clustersWithNewNotes().map((cluster) => `${cluster.name}: ${cluster.note}`);
  const isBad = !fixed && !connection.isOpen;
  const state = isBad ? connection.text : lost.length > 0 ? lost.join("; ") : fixed ? `page made ${fixed.made.replace("T", " ").replace("Z", "")} UTC` : notes.join("; ");
  status.textContent = [Date.now() < saidUntil ? said : "", state].filter(Boolean).join("; ");
  status.classList.toggle("bad", isBad || lost.length > 0);
}

function showCounts() {
  const counts = {queue: rowsOf("jobs").filter((item) => item.row.active).length};
  for (const link of views.children) {
    const count = counts[link.dataset.view] ?? tables[link.dataset.view].size;
    link.lastChild.textContent = count > 0 ? String(count) : "";
  }
}

const kHelp = [
  ["1 to 8", "the views"], ["j, k, arrows, g, G", "select a row"], ["Enter", "open it"], ["Escape, u", "back"], ["/", "filter"],
  ["space", "mark a run"], ["x", "compare the marked runs"], ["w, l", "a job's why and log"], ["y", "copy the kml command that prints the same"], ["?", "this help"],
];

function showHelp() {
  const dialog = html("dialog", {"aria-label": "keys"}, html("h2", {}, "Keys"));
  pairs(dialog, [...kHelp, ...(mayAct ? [["c, s, r", "cancel, suspend or resume, run again"]] : [])]);
  const close = html("button", {type: "button"}, "close");
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  dialog.append(close);
  document.body.append(dialog);
  dialog.showModal();
}

let said = "", saidUntil = 0;

/// Shows a text for some seconds before the connection's state.
function say(words) {
  said = words;
  saidUntil = Date.now() + 5000;
  showConnection();
}

function copy(words) {
  if (!navigator.clipboard) return say(words);
  navigator.clipboard.writeText(words).then(() => say(`copied: ${words}`), () => say(words));
}

/// The command that prints what the page shows. Runs side by side have none, so it is that of their list.
function shownCommand() {
  const own = view?.command?.();
  if (own) return own;
  const list = kViews.find((each) => each.name === parentOf(partsOfAddress()[0]));
  const cluster = view?.selected?.()?.cluster ?? clusters.keys().next().value;
  return list && cluster ? commandOf({cluster, row: {}}, ...list.command) : "";
}

/// The job on which a key acts: that of the page, or the selected one.
const currentJob = () => view?.item?.() ?? (["jobs", "queue"].includes(partsOfAddress()[0]) ? view?.selected?.() : null);

function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, select")) return;
  if (document.querySelector("dialog[open]")) return;
  const {key} = event, job = currentJob();
  if ((key === "Enter" || key === " ") && event.target.closest?.("a, button, summary")) return;
  const jump = (title) => [...document.querySelectorAll("h2")].find((each) => each.textContent === title)?.scrollIntoView({block: "start"});
  const act = (action) => { if (job && mayAct && actionsFor(job).includes(action)) askAction(job, action); };
  if (/^[1-8]$/.test(key)) go(`#/${kViews[Number(key) - 1].name}`);
  else if (key === "?") showHelp();
  else if (key === "/" && view?.filter) view.filter.focus();
  else if (key === "Escape" || key === "u") { const name = partsOfAddress()[0]; if (parentOf(name) !== name) go(`#/${parentOf(name)}`); else return; }
  else if (key === "y" && shownCommand()) copy(shownCommand());
  else if (key === "w") jump("Why");
  else if (key === "l") jump("Log");
  else if (key === "x") [...document.querySelectorAll("button")].find((each) => each.textContent.startsWith("compare ") && !each.hidden)?.click();
  else if (key === "c") act("cancel");
  else if (key === "s") { act("suspend"); act("resume"); }
  else if (key === "r") act("rerun");
  else if (!view?.press?.(key)) return;
  event.preventDefault();
}

views.append(...kViews.map((each, i) => html("li", {"data-view": each.name}, html("a", {href: `#/${each.name}`, title: `key ${i + 1}`}, each.name), html("span", {class: "soft"}))));
addEventListener("hashchange", show);
if (isNameless)
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href^='#']");
    if (!link) return;
    event.preventDefault();
    go(link.getAttribute("href"));
  });
document.addEventListener("keydown", press);
redraws.add(() => { showConnection(); showCounts(); view?.update(); });
setInterval(redrawSoon, 1000);

async function start() {
  if (fixed) {
    applyChanges(fixed.changes);
  } else if (!pageKey) {
    connection.text = "open the address that kml ui --web has printed";
    return showConnection();
  } else {
    const settings = await ask("/data/settings");
    mayAct = Boolean(settings.actions);
    kubeconfig = settings.kubeconfig ?? "";
    whileVisible(followChanges);
  }
  show();
}
start();
