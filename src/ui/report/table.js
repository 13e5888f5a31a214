// All trials, in pages; every column can be sorted.

const kRowsOfPage = 25;

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

const isMissing = (value) => value === undefined || value === null || Number.isNaN(value);

function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b));
}

function trials() {
  const section = at("trials"), all = columns();
  let sorted = all[2], descends = Boolean(sorted.descends), page = 0, words = "", state = "";
  const order = (a, b) => {
    const left = sorted.value(a), right = sorted.value(b);
    if (isMissing(left) || isMissing(right)) return isMissing(left) - isMissing(right);
    // The value of an unfinished trial is not a result.
    const results = sorted.type === "value" ? (kind(b) === "complete") - (kind(a) === "complete") : 0;
    return results || (descends ? compare(right, left) : compare(left, right)) || a.number - b.number;
  };
  const cell = (column, trial) => {
    const value = column.value(trial), missing = isMissing(value);
    return html("td", {class: `${column.isNumber ? "number" : ""} ${column.type ?? ""}`, title: column.type === "cause" && !missing ? value : null},
                missing ? "–" : column.text(value));
  };
  const matches = (trial) => (!state || trial.state === state) &&
    (!words || all.some((column) => !isMissing(column.value(trial)) && column.text(column.value(trial)).toLowerCase().includes(words)));

  const head = html("tr"), body = html("tbody"), where = html("span", {class: "soft"});
  const search = html("input", {type: "search", placeholder: "search", "aria-label": "search the trials"});
  const states = html("select", {"aria-label": "state"}, html("option", {value: ""}, "all states"),
                      [...new Set(data.trials.map((trial) => trial.state))].sort().map((name) => html("option", {value: name}, name)));
  const back = html("button", {type: "button"}, "‹ back"), forth = html("button", {type: "button"}, "more ›");

  const show = () => {
    const found = data.trials.filter(matches).sort(order);
    page = Math.max(0, Math.min(page, Math.ceil(found.length / kRowsOfPage) - 1));
    const begin = page * kRowsOfPage, shown = found.slice(begin, begin + kRowsOfPage);
    body.replaceChildren(...shown.map((trial) =>
      html("tr", {class: `${kind(trial)}${trial === best ? " best" : ""}`, "data-trial": trial.number}, all.map((column) => cell(column, trial)))));
    where.textContent = found.length === 0 ? "none" : `${begin + 1} to ${begin + shown.length} of ${found.length}`;
    back.disabled = page === 0;
    forth.disabled = begin + kRowsOfPage >= found.length;
    all.forEach((column, i) => {
      const isSorted = column === sorted, th = head.children[i];
      isSorted ? th.setAttribute("aria-sort", descends ? "descending" : "ascending") : th.removeAttribute("aria-sort");
      th.firstChild.textContent = column.name + (isSorted ? (descends ? " ▾" : " ▴") : "");
    });
  };
  for (const column of all) {
    const button = html("button", {type: "button"}, column.name);
    button.addEventListener("click", () => {
      descends = column === sorted ? !descends : Boolean(column.descends);
      sorted = column;
      page = 0;
      show();
    });
    head.append(html("th", {scope: "col", class: column.isNumber ? "number" : ""}, button));
  }
  search.addEventListener("input", () => { words = search.value.toLowerCase(); page = 0; show(); });
  states.addEventListener("change", () => { state = states.value; page = 0; show(); });
  back.addEventListener("click", () => { --page; show(); });
  forth.addEventListener("click", () => { ++page; show(); });
  section.append(html("div", {class: "tools"}, search, states, back, forth, where),
                 html("div", {class: "rows"}, html("table", {}, html("thead", {}, head), body)));
  show();
}
