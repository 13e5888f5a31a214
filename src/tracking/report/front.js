// The Pareto front of a sweep with several objectives: the first objective against each other one.

const valueOf = (trial, i) => (i === 0 ? trial.value : trial.metrics?.[data.objectives[i].metric]);

function front(section) {
  section.querySelector("h2").textContent = "Pareto front";
  if (data.front.length === 0) return note(section, "No trial is complete yet.");
  const complete = data.trials.filter((trial) => kind(trial) === "complete"), drawn = thinned(complete, kMostMarks);
  for (const number of data.front) if (!drawn.includes(data.trials[number])) drawn.push(data.trials[number]);
  for (let i = 1; i < data.objectives.length; ++i) frontPlot(section, drawn, i);
  note(section, `${data.front.length} of ${complete.length} complete trials are on the front: no other one is at least as good in all objectives and better in one.`);
  section.append(html("pre", {}, `kml sweep best ${data.name}`));
}

function frontPlot(section, drawn, i) {
  const [first, other] = [data.objectives[0], data.objectives[i]];
  plot(section, `${other.metric} against ${first.metric}`, (width) => {
    const area = {left: 58, right: width - 14, top: 22, bottom: 262}, root = canvas(width, 300);
    const scale = (at, from, to) => {
      const values = drawn.map((trial) => valueOf(trial, at)), low = Math.min(...values), high = Math.max(...values);
      const log = low > 0 && high / low > 100, margin = log ? 0 : 0.04 * (high - low);
      return numbers(low - margin, high + margin, from, to, {log, count: at === 0 ? width / 90 : 5});
    };
    const across = scale(0, area.left, area.right), up = scale(i, area.bottom, area.top);
    const place = (trial) => [across.place(valueOf(trial, 0)), up.place(valueOf(trial, i))];
    root.append(leftAxis(area, up, other.metric), bottomAxis(area, across, first.metric));
    const onIt = data.front.map((number) => data.trials[number]).sort((a, b) => cost(a.value) - cost(b.value));
    if (data.objectives.length === 2) {
      const steps = [];
      for (const [x, y] of onIt.map(place)) {
        if (steps.length > 0) steps.push([x, steps.at(-1)[1]]);
        steps.push([x, y]);
      }
      root.append(svg("path", {class: "front", d: path(steps)}));
    }
    for (const trial of drawn.filter((one) => !isBest(one)).concat(onIt)) root.append(mark(trial, ...place(trial), 3.2));
    return root;
  });
}
