// The page: a description of the sweep, its best trial, and all plots.

function head() {
  document.title = `${data.name} · kml sweep`;
  at("name").textContent = data.name;
  const objectives = data.objectives ?? [data.objective];
  const what = objectives.map((one) => `${one.maximize ? "maximize" : "minimize"} ${one.metric}`).join(", ");
  const state = data.end ? `ended: ${data.end}` : "not ended yet";
  at("subtitle").textContent = `${what} by ${data.asked.algorithm} · begun ${data.begun.replace("T", " ")} · ${state}`;

  const count = (name) => data.trials.filter((trial) => kind(trial) === name).length;
  const told = Object.entries(kMeanings).filter(([name]) => count(name) > 0).map(([name, text]) => `${count(name)} ${text}`).join(", ");
  const busy = data.spans.reduce((sum, [begin, end]) => sum + end - begin, 0);
  const tile = (name, value, more, first = false) =>
    at("tiles").append(html("div", {class: first ? "first" : null}, html("dt", {}, name),
                            html("dd", {}, value, more ? html("span", {class: "more"}, more) : null)));
  if (data.objectives) tile("on the front", String(data.front.length), "trials that no other trial dominates", true);
  else tile(`best ${data.objective.metric}`, best ? num(best.value) : "–", best ? `trial ${best.number}` : "no trial is complete", true);
  tile("trials", `${data.ended.length} of ${data.asked.trials}`, told);
  tile("time", duration(data.wallTime), `${duration(busy)} of all trials`);
  if (data.gpuSeconds > 0) tile("GPU hours", num(data.gpuSeconds / 3600), `${num(data.gpuSeconds / data.trials.length / 3600)} a trial`);
}

function bestTrial() {
  const section = at("best");
  if (data.objectives) return front(section);
  if (!best) return note(section, "No trial is complete yet.");
  pairs(section, [[data.objective.metric, num(best.value)], ...Object.entries(best.metrics ?? {}).map(([name, value]) => [name, num(value)])]);
  pairs(section, data.parameters.map((parameter, i) => [parameter.name, valueText(parameter, best.point[i])]));
  pairs(section, [["trial", String(best.number)], ["job", best.job], ["node", best.node], ["time", duration(best.ran)]]);
  // A population's result is a checkpoint: its best trial's job would only train the last part again.
  const again = data.asked.algorithm === "pbt" ? "" : " -o yaml \\\n  | kml submit -f -";
  section.append(html("pre", {}, `kml sweep best ${data.name}${again}`));
}

function asked() {
  const section = at("asked"), {asked: what} = data;
  const target = [what.target?.context, what.target?.namespace].filter(Boolean).join("/");
  pairs(section, [["command", html("code", {}, what.command)], ["image", what.image], ["algorithm", what.algorithm],
                  ["seed", String(what.seed)], ["trials", `${what.trials}, ${what.parallel} at once`], ["on", target],
                  ["page made", data.made.replace("T", " ")]]);
  section.append(html("details", {}, html("summary", {}, "specification"), html("pre", {}, what.spec)));
}

for (const part of [head, history, bestTrial, parallel, slices, importance, rungs, running, times, totalCost, trials, asked]) part();
watchPointer("trial", (number) => details(data.trials[number]));
