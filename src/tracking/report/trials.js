// The table of all trials.

function columns() {
  const metrics = [...new Set(data.trials.flatMap((trial) => Object.keys(trial.metrics ?? {})))];
  const number = (name, value, text = num, more = {}) => ({name, value, text, isNumber: true, ...more});
  const all = [
    number("trial", (t) => t.number),
    {name: "state", value: (t) => t.state, text: String, type: "state"},
    number(data.objective.metric, (t) => t.value, num, {type: "value", descends: data.objective.maximize}),
    ...data.parameters.map((parameter, i) =>
      number(parameter.name, (t) => t.point[i], (value) => valueText(parameter, value), {isNumber: !parameter.choices})),
    ...metrics.map((name) => number(name, (t) => t.metrics?.[name])),
    number(data.resource, (t) => t.reached),
    number("time", (t) => t.ran || undefined, duration),
    number("GPU hours", (t) => t.gpuSeconds / 3600),
    number("retries", (t) => t.retries),
    {name: "node", value: (t) => t.node, text: String},
    {name: "cause", value: (t) => t.cause, text: (cause) => cause.replace(/((; [^;\n]*)?:)?\n[^]*/, ""), type: "cause"},
  ];
  const isUsed = (column) => data.trials.some((trial) => !isMissing(column.value(trial)));
  return all.filter((column, i) => i < 3 || isUsed(column));
}

function trials() {
  const all = columns();
  // The value of an unfinished trial is not a result.
  all[2].precedes = (a, b) => (kind(b) === "complete") - (kind(a) === "complete");
  table(at("trials"), data.trials, all, {
    sorted: all[2], label: "trials",
    attributes: (trial) => ({class: `${kind(trial)}${isBest(trial) ? " best" : ""}`, "data-trial": trial.number}),
  });
}
