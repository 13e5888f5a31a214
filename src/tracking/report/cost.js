// What the sweep used: how many trials ran at the same time, how long each ran, and the total.

/// The number of running trials over time, as steps [time, count]. If there are more than `most` steps,
/// averages over that many equal intervals.
function runningOverTime(most) {
  const changes = data.spans.flatMap(([begin, end]) => [[begin, 1], [end, -1]]).sort((a, b) => a[0] - b[0]);
  const steps = [[0, 0]];
  for (const [time, change] of changes) {
    const count = steps.at(-1)[1] + change;
    if (time === steps.at(-1)[0]) steps.at(-1)[1] = count;
    else steps.push([time, count]);
  }
  if (steps.length <= most) return steps;
  const room = data.length / most, sums = new Float64Array(most + 1);
  steps.forEach(([time, count], i) => {
    const end = i + 1 < steps.length ? steps[i + 1][0] : data.length;
    for (let from = time; from < end;) {
      const bin = Math.min(most, Math.floor(from / room + 1e-9)), to = Math.min(end, Math.max((bin + 1) * room, from + room * 1e-6));
      sums[bin] += count * (to - from);
      from = to;
    }
  });
  return Array.from(sums.subarray(0, most), (sum, bin) => [bin * room, sum / room]);
}

const kCostHeight = 230;
const costArea = (width) => ({left: 46, right: width - 12, top: 22, bottom: 184});
const timeScale = (area, width) => numbers(0, data.length, area.left, area.right, {isTime: true, count: Math.max(2, width / 110)});

function running() {
  const section = at("running");
  if (data.spans.length === 0) return note(section, "No trial has run yet.");
  const busy = data.spans.reduce((sum, [begin, end]) => sum + end - begin, 0);
  plot(section, "Trials that ran at the same time", (width) => {
    const area = costArea(width), root = canvas(width, kCostHeight), steps = runningOverTime(Math.floor(2 * width));
    const most = Math.max(data.asked.parallel, ...steps.map((step) => step[1]));
    const across = timeScale(area, width), up = numbers(0, most, area.bottom, area.top, {count: 4});
    root.append(leftAxis(area, up, "trials"), bottomAxis(area, across, "time since the start"));
    const points = [];
    for (const [time, count] of steps) {
      if (points.length > 0) points.push([across.place(time), points.at(-1)[1]]);
      points.push([across.place(time), up.place(count)]);
    }
    points.push([area.right, points.at(-1)[1]]);
    root.append(svg("path", {class: "filled", d: path([[area.left, area.bottom], ...points, [area.right, area.bottom]])}));
    const y = up.place(data.asked.parallel);
    root.append(svg("line", {class: "rule", x1: area.left, x2: area.right, y1: y, y2: y}));
    return root;
  });
  note(section, `${num(Number((busy / Math.max(data.length, 1e-9)).toPrecision(3)))} on average; ${data.asked.parallel} were asked for.`);
}

function times() {
  const section = at("times"), trials = data.trials.filter((trial) => trial.ran > 0);
  if (trials.length === 0) return note(section, "No trial has run yet.");
  const kinds = Object.keys(kMeanings).filter((name) => trials.some((trial) => kind(trial) === name));
  const sorted = trials.map((trial) => trial.ran).sort((a, b) => a - b), middle = sorted[Math.floor(sorted.length / 2)];
  plot(section, "How long trials ran", (width) => {
    const area = costArea(width), root = canvas(width, kCostHeight), bins = Math.max(8, Math.floor(width / 16));
    const low = sorted[0], high = sorted.at(-1), log = low > 0 && high / low > 50;
    const across = numbers(log ? low : 0, high, area.left, area.right, {log, isTime: true, count: Math.max(2, width / 110)});
    const room = (area.right - area.left) / bins, counts = Array.from({length: bins}, () => ({}));
    for (const trial of trials) {
      const bin = counts[Math.min(bins - 1, Math.floor((across.place(trial.ran) - area.left) / room))];
      bin[kind(trial)] = (bin[kind(trial)] ?? 0) + 1;
    }
    const sum = (bin) => kinds.reduce((all, name) => all + (bin[name] ?? 0), 0);
    const up = numbers(0, Math.max(...counts.map(sum)), area.bottom, area.top, {count: 4});
    root.append(leftAxis(area, up, "trials"), bottomAxis(area, across, "time of one trial"));
    counts.forEach((bin, i) => {
      let below = 0;
      for (const name of kinds) {
        if (!bin[name]) continue;
        const top = up.place(below + bin[name]), bottom = up.place(below);
        root.append(svg("rect", {class: `bar ${name}`, x: area.left + i * room + 0.5, y: top, width: room - 1, height: bottom - top},
                        svg("title", {}, `${bin[name]} ${name}`)));
        below += bin[name];
      }
    });
    return root;
  });
  section.append(html("div", {class: "legend"}, kinds.map((name) =>
    html("span", {}, svg("svg", {width: 12, height: 12}, svg("rect", {class: `bar ${name}`, width: 12, height: 12})), kMeanings[name]))));
  note(section, `${duration(middle)} in the median, ${duration(sorted.at(-1))} at most.`);
}

/// The time of the GPUs if the trials used GPUs, otherwise the time of all trials.
function totalCost() {
  const section = at("cost"), gpus = data.gpuSeconds > 0;
  const ends = data.trials.filter((trial) => Number.isFinite(trial.ended) && (gpus ? trial.gpuSeconds : trial.ran) > 0)
    .sort((a, b) => a.ended - b.ended);
  if (ends.length === 0) return note(section, "Nothing has been used yet.");
  const total = ends.reduce((sum, trial) => sum + (gpus ? trial.gpuSeconds : trial.ran), 0);
  const hours = total >= 3600, unit = (hours ? 3600 : 1), name = `${gpus ? "GPU" : "trial"} ${hours ? "hours" : "seconds"}`;
  plot(section, `${name} used over time`, (width) => {
    const area = costArea(width), root = canvas(width, kCostHeight), every = Math.max(1, Math.floor(ends.length / (2 * width)));
    const across = timeScale(area, width), up = numbers(0, total / unit, area.bottom, area.top, {count: 4});
    root.append(leftAxis(area, up, name), bottomAxis(area, across, "time since the start"));
    const points = [[area.left, area.bottom]];
    let sum = 0;
    ends.forEach((trial, i) => {
      sum += (gpus ? trial.gpuSeconds : trial.ran) / unit;
      if (i % every === 0 || i + 1 === ends.length) points.push([across.place(trial.ended), up.place(sum)]);
    });
    root.append(svg("path", {class: "filled", d: path([...points, [points.at(-1)[0], area.bottom]])}));
    return root;
  });
  const wasted = ends.filter((trial) => kind(trial) === "failed").reduce((sum, trial) => sum + (gpus ? trial.gpuSeconds : trial.ran), 0);
  note(section, `${num(Number((total / unit).toPrecision(3)))} ${name}; ${percent(wasted / total)} of it in trials without a result.`);
}
