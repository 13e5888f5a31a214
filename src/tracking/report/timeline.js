// The page of a timeline: a bar for each row, and a table of the jobs.

const rows = data.jobs.flatMap((job, number) => job.rows.map((row, i) => ({...row, job: number, isFirst: i === 0})));
const seconds = (time) => Date.parse(time) / 1000;
const begin = seconds(data.since), end = seconds(data.until);
const shortTime = (time) => time.replace("T", " ").replace(/(\.\d+)?Z$/, "");
const kKinds = ["queued", "running", "lost", "failed", "preempted", "suspended", "unknown"];

function head() {
  const title = data.jobs.length === 1 ? data.jobs[0].name : `${data.jobs.length} jobs`;
  document.title = `${title} · kml timeline`;
  at("name").textContent = title;
  at("subtitle").textContent = `${shortTime(data.since)} to ${shortTime(data.until)} UTC`;
}

function bars() {
  const section = at("bars"), high = 16, room = 24;
  if (rows.length === 0) return note(section, "No jobs in this time.");
  plot(section, "When jobs waited and ran", (width) => {
    const names = Math.min(220, width / 3);
    const area = {left: names, right: width - 14, top: 8, bottom: 8 + room * rows.length};
    const root = canvas(width, area.bottom + 40);
    const across = numbers(0, end - begin, area.left, area.right, {isTime: true, count: Math.max(2, width / 110)});
    rows.forEach((row, i) => {
      const y = area.top + i * room;
      root.append(svg("text", {x: names - 7, y: y + 12, "text-anchor": "end", class: row.isFirst ? "title" : null, "data-job": row.job},
                      cut(row.name, Math.floor(names / 6.5))));
      for (const bar of row.bars) {
        const from = Math.max(0, seconds(bar.start) - begin), to = Math.min(end, seconds(bar.end)) - begin;
        if (to <= from) continue;
        const x = across.place(from), wide = Math.max(1, across.place(to) - x);
        root.append(svg("rect", {class: `state ${bar.kind}`, x, y, width: wide, height: high, "data-job": row.job},
                        svg("title", {}, `${bar.kind} ${duration(to - from)}${bar.cause ? `: ${bar.cause}` : ""}`)));
      }
    });
    root.append(bottomAxis(area, across, "time"));
    return root;
  });
  const used = kKinds.filter((kind) => rows.some((row) => row.bars.some((bar) => bar.kind === kind)));
  section.append(html("div", {class: "legend"}, used.map((kind) =>
    html("span", {}, svg("svg", {width: 12, height: 12}, svg("rect", {class: `state ${kind}`, width: 12, height: 12})), kind))));
}

function jobs() {
  if (data.jobs.length === 0) return at("jobs").remove();
  const items = data.jobs.map((job, number) => ({...job, number}));
  const time = (job, kinds) => job.rows[0].bars.filter((bar) => kinds.includes(bar.kind))
    .reduce((sum, bar) => sum + seconds(bar.end) - seconds(bar.start), 0);
  const times = (name, kinds) => ({name, value: (job) => time(job, kinds), text: duration, isNumber: true});
  const columns = [
    {name: "job", value: (job) => job.name, text: String, type: "name"},
    {name: "namespace", value: (job) => job.namespace, text: String},
    {name: "user", value: (job) => job.user || null, text: String},
    {name: "state", value: (job) => job.state, text: String, type: "state"},
    {name: "GPUs", value: (job) => job.gpus, text: num, isNumber: true},
    times("waited", ["queued", "preempted"]), times("ran", ["running", "lost", "failed"]), times("suspended", ["suspended"]),
    {name: "covered", value: (job) => job.covered, text: percent, isNumber: true},
    {name: "submitted", value: (job) => job.created, text: shortTime},
  ];
  table(at("jobs"), items, columns, {
    sorted: columns.at(-1), label: "jobs",
    attributes: (job) => ({class: job.state === "Failed" ? "failed" : null, "data-job": job.number}),
  });
}

function describe(number) {
  const job = data.jobs[number];
  return [html("strong", {}, job.name), ` ${job.state}`,
          html("dl", {class: "pairs"}, html("dt", {}, "submitted"), html("dd", {}, shortTime(job.created)))];
}
