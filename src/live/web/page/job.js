// A job's page: its state, why, its metrics, the live log, its attempts and its times.

/// The job as commands accept it: several kinds may have jobs of the same name.
const jobArgument = ({kind, name}) => (!kind || kind === "Job" ? name : `${kind.toLowerCase()}/${name}`);

const queryOfRow = (item) => queryOf([["cluster", item.cluster], ["namespace", item.row.namespace], ["name", jobArgument(item.row)]]);

/// The words of a command for the row, to be copied into a shell.
function commandOf(item, ...words) {
  const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${String(word).replaceAll("'", "'\\''")}'`);
  return ["kml", ...words, ...(kubeconfig ? [`--kubeconfig=${kubeconfig}`] : []), `--context=${item.cluster}`, ...(item.row.namespace ? ["-n", item.row.namespace] : [])].map(quoted).join(" ");
}

function errorNote(parent, error) {
  parent.append(html("p", {class: "note bad"}, error.what || "kml has said nothing"));
  pairs(parent, [["why", error.why], ["fix", error.fix]]);
}

const holderText = (holder) => `${holder.name}${holder.user ? ` (${holder.user})` : ""}${holder.amount ? ` × ${num(holder.amount)}` : ""}`;

/// What `kml why` has found: each cause, who holds what is missing, and the commands that help.
function drawWhy(box, verdict) {
  for (const cause of [verdict.cause, ...(verdict.others ?? [])]) {
    if (!cause) continue;
    box.append(html("p", {}, html("strong", {}, cause.summary || cause.brief || cause.code)));
    pairs(box, [["cause", cause.code], ["held by", (cause.holders ?? []).slice(0, 8).map(holderText).join(", ")],
                ["ahead of it", (cause.ahead ?? []).slice(0, 8).map(holderText).join(", ")], ["priority", cause.priority],
                ["object", cause.object], ["message", cause.message]]);
    for (const remedy of cause.remedies ?? [])
      box.append(html("div", {class: "remedy"}, html("span", {}, remedy.what), remedy.command ? html("code", {}, remedy.command) : null));
  }
  if (verdict.log?.length > 0) box.append(html("pre", {}, verdict.log.join("\n")));
  if (verdict.unknown?.length > 0) box.append(html("p", {class: "note"}, `could not be checked: ${verdict.unknown.join("; ")}`));
}

function drawAttempts(box, answer) {
  const attempts = Array.isArray(answer) ? answer : answer?.attempts ?? [];
  if (attempts.length === 0) return box.append(html("p", {class: "note"}, "No attempts yet."));
  const head = ["pod", "node", "started", "ended", "exit", "result"];
  const cell = (value) => (value === undefined || value === null || value === "" ? "–" : String(value));
  box.append(html("div", {class: "rows"}, html("table", {},
    html("thead", {}, html("tr", {}, head.map((name) => html("th", {class: "plain"}, name)))),
    html("tbody", {}, attempts.slice(-200).map((each) => html("tr", {}, [each.pod, each.node, each.start, each.end, each.exitCode, each.result].map((value) => html("td", {}, cell(value)))))))));
}

/// The metrics in the log, as on a terminal: the last value of each, and its course.
function metricsCard() {
  const kMostNames = 50, kMostValues = 2000;
  const box = html("section", {class: "card full", id: "metrics", hidden: ""}, html("h2", {}, "Metrics")), courses = new Map();
  let isDue = false;
  const draw = () => {
    isDue = false;
    box.hidden = courses.size === 0;
    box.replaceChildren(box.firstChild);
    pairs(box, [...courses].map(([name, values]) => [name, html("span", {}, num(values.at(-1)), " ", spark(values, 240, 24))]));
  };
  const drawSoon = () => {
    if (!isDue) requestAnimationFrame(draw);
    isDue = true;
  };
  const add = (metrics) => {
    for (const [name, value] of metrics) {
      if (!courses.has(name) && courses.size >= kMostNames) continue;
      const values = courses.get(name) ?? [];
      courses.set(name, values);
      values.push(value);
      if (values.length > kMostValues) values.splice(0, kMostValues / 2);
    }
    drawSoon();
  };
  return {box, add, clear: () => { courses.clear(); drawSoon(); }};
}

/// The live log. It stays at its end while the reader does not scroll up.
function showLog(box, metrics, item, signal) {
  const kMostLines = 5000;
  const log = html("pre", {class: "log", tabindex: "0", role: "log", "aria-label": "log"}), where = html("p", {class: "note"}, "Reading…");
  box.append(log, where);
  let count = 0;
  const restart = () => { log.replaceChildren(); metrics.clear(); count = 0; };
  const add = (lines) => {
    const isAtEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - 30;
    log.append(document.createTextNode(`${lines.join("\n")}\n`));
    count += lines.length;
    while (count > kMostLines && log.childNodes.length > 1) {
      count -= log.firstChild.data.split("\n").length - 1;
      log.firstChild.remove();
    }
    if (isAtEnd) log.scrollTop = log.scrollHeight;
    where.textContent = "";
  };
  whileVisible((isWatched) => {
    restart();
    listen(`/data/log?${queryOfRow(item)}`, isWatched, (event, data) => {
      if (event === "lines") add(data);
      else if (event === "metrics") metrics.add(data);
      else if (event === "end") where.textContent = count === 0 && data.errors ? data.errors : "The log has ended.";
    }).catch((error) => { if (error.name !== "AbortError") where.textContent = error.message; });
  }, signal);
}

function showJob(content, cluster, id) {
  const stop = new AbortController();
  const title = html("h1", {}), facts = html("p", {class: "soft"}), cause = html("p", {class: "cause"}), tools = html("div", {class: "tools"});
  const properties = html("section", {class: "card full"}, html("h2", {}, "Job"));
  const whyAge = html("p", {class: "soft"}), whyText = html("div", {"aria-live": "polite"}, html("span"));
  const why = html("section", {class: "card full"}, html("h2", {}, "Why"), whyAge, whyText), metrics = metricsCard();
  const log = html("section", {class: "card full"}, html("h2", {}, "Log"));
  const attempts = html("section", {class: "card full"}, html("h2", {}, "Attempts"));
  const times = html("section", {class: "card full", id: "bars"}, html("h2", {}, "Timeline"));
  content.append(html("section", {class: "card full"}, title, facts, cause, tools), ...(fixed ? [properties] : [why, metrics.box, log, attempts, times, properties]));
  let asked = "", stateOfWhy = "", whyTime = 0, isLogOpen = false, timer = null, known = null;

  const refresh = async (item) => {
    const query = queryOfRow(item), {signal} = stop, wanted = asked, begun = Date.now();
    const fill = (box, answer, draw) => {
      if (answer.aborted || wanted !== asked) return;
      if (box === whyText) whyTime = begun;
      box.replaceChildren(box.firstChild);
      answer.data ? draw(answer.data) : errorNote(box, answer.error ?? {});
    };
    await Promise.all([
      ask(`/data/why?${query}`, {signal}).then((answer) => fill(whyText, answer, (data) => drawWhy(whyText, data))),
      ask(`/data/attempts?${query}`, {signal}).then((answer) => fill(attempts, answer, (data) => drawAttempts(attempts, data))),
      ask(`/data/timeline?${query}`, {signal}).then((answer) => fill(times, answer, (data) => drawTimeline(data))),
    ]);
  };
  /// Nothing may say that the job is still in its last state, or offer to act on it.
  const showMissing = () => {
    document.title = "kml ui";
    facts.textContent = textWithoutRow(cluster, "job");
    title.textContent = known?.name ?? "";
    asked = stateOfWhy = cause.textContent = whyAge.textContent = "";
    clearTimeout(timer);
    for (const box of [tools, properties, whyText, attempts, times]) box.replaceChildren(...(box === tools ? [] : [box.firstChild]));
  };
  const update = () => {
    const item = tables.jobs.get(keyOf(cluster, id));
    if (!item) return void showMissing();
    const {row} = item;
    // A new job with the name of the old one has another log and other metrics.
    if (known && known.uid !== row.uid) return void show();
    known = row;
    document.title = `${row.name} ${row.state} · kml ui`;
    title.replaceChildren(row.name, " ", html("span", {class: stateKind(item)}, row.state));
    facts.textContent = [item.cluster, row.namespace, row.user && `by ${row.user}`, row.gpus ? `${row.gpus} GPU${row.gpus === 1 ? "" : "s"}` : null,
                         row.podCounts && `${row.podCounts} pods`, row.position && `place ${row.position}`,
                         row.created && `submitted ${age(ageOf(row.created))} ago`].filter(Boolean).join(" · ");
    cause.textContent = [causeOf(row), row.message].filter(Boolean).join(": ");
    // The durations in the text were right when kml said them.
    const ageOfWhy = whyTime ? (Date.now() - whyTime) / 1000 : 0;
    whyAge.textContent = ageOfWhy >= 2 ? `${age(ageOfWhy)} ago:` : "";
    const now = JSON.stringify([row.state, row.cause, row.podsRunning, row.restarts]);
    if (now === asked) return;
    asked = now;
    tools.replaceChildren(...actionButtons(item), html("code", {class: "soft"}, commandOf(item, "why", jobArgument(row))));
    properties.replaceChildren(properties.firstChild);
    pairs(properties, Object.entries(row).filter(([, value]) => typeof value !== "object").map(([name, value]) => [name, String(value)]));
    if (fixed) return;
    // A text about another state contradicts the title, so it goes at once. Other changes that follow each
    // other are asked about together.
    const isOtherState = stateOfWhy !== row.state;
    if (isOtherState) {
      whyText.replaceChildren(whyText.firstChild, html("p", {class: "note"}, "Reading…"));
      whyTime = 0;
      whyAge.textContent = "";
    }
    stateOfWhy = row.state;
    clearTimeout(timer);
    timer = setTimeout(() => refresh(item), isOtherState ? 0 : 500);
    if (!isLogOpen) showLog(log, metrics, item, stop.signal);
    isLogOpen = true;
  };
  update();
  const item = () => tables.jobs.get(keyOf(cluster, id));
  return {update, item, command: () => item() && commandOf(item(), "why", jobArgument(item().row)), close: () => { stop.abort(); clearTimeout(timer); }};
}
