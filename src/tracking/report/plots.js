// The results of the trials: history, parallel coordinates, slices, importance, learning curves.

const kMostMarks = 2000, kMostMarksOfSlice = 800, kMostLines = 600;

function history() {
  const section = at("history");
  const ended = data.ended.map((number) => data.trials[number]);
  const values = ended.filter(hasValue).map((trial) => trial.value);
  if (values.length === 0) return note(section, "No trial has a value yet.");
  const look = kept("history", () => ({byTime: false}));
  const drawn = thinned(ended, kMostMarks), order = new Map(data.ended.map((number, i) => [number, i + 1]));
  const x = (trial) => (look.byTime ? trial.ended : order.get(trial.number));
  const tools = html("div", {class: "tools"});
  section.append(tools);

  const picture = plot(section, "The objective of each trial, and the best so far", (width) => {
    const area = {left: 58, right: width - 14, top: 22, bottom: 262}, root = canvas(width, 320);
    const across = look.byTime ? numbers(0, data.length, area.left, area.right, {isTime: true, count: width / 130})
                          : numbers(1, data.ended.length, area.left, area.right, {count: width / 90});
    const up = objectiveScale(values, area.bottom - 6, area.top);
    const lane = area.bottom + 12;  // for trials without a value
    const below = {...area, bottom: area.bottom + 22};
    root.append(leftAxis(area, up, data.objective.metric),
                bottomAxis(below, across, look.byTime ? "time since the start" : "trials ended"));
    if (data.objective.goal !== null && data.objective.goal >= up.low && data.objective.goal <= up.high) {
      const y = up.place(data.objective.goal);
      root.append(svg("line", {class: "rule", x1: area.left, x2: area.right, y1: y, y2: y}),
                  svg("text", {x: area.right, y: y - 4, "text-anchor": "end"}, "goal"));
    }
    for (const trial of drawn)
      if (trial !== best) root.append(mark(trial, across.place(x(trial)), hasValue(trial) ? up.place(trial.value) : lane, 3.2));
    const steps = [];
    let low = Infinity;
    for (const trial of ended) {
      if (kind(trial) !== "complete" || !hasValue(trial) || cost(trial.value) >= low) continue;
      const place = across.place(x(trial));
      if (steps.length > 0) steps.push([place, steps.at(-1)[1]]);
      steps.push([place, up.place(trial.value)]);
      low = cost(trial.value);
    }
    if (steps.length > 0) root.append(svg("path", {class: "front", d: path([...steps, [area.right, steps.at(-1)[1]]])}));
    if (best) root.append(mark(best, across.place(x(best)), up.place(best.value), 3.6));
    return root;
  });
  section.append(legend());

  const button = (text, time) => {
    const node = html("button", {type: "button", "aria-pressed": String(time === look.byTime)}, text);
    node.addEventListener("click", () => {
      look.byTime = time;
      for (const other of tools.children) other.setAttribute("aria-pressed", String(other === node));
      picture.redraw();
    });
    return node;
  };
  tools.append(button("by trial", false), button("by time", true));
  if (drawn.length < ended.length) note(section, `${drawn.length} of ${ended.length} trials are drawn, the best among them.`);
}

/// Lines across an axis for each parameter and each objective. Dragging along an axis keeps only the
/// lines within that range.
function parallel() {
  const section = at("parallel");
  const trials = data.trials.filter((trial) => kind(trial) !== "open");
  const values = mattering(trials);
  if (values.length === 0) return note(section, "No trial has a value yet.");
  const drawn = thinned(trials, kMostLines), goals = data.objectives ?? [data.objective];
  const count = data.parameters.length, axes = count + goals.length;
  const chosen = kept("parallel", () => new Map());  // by axis: the selected range [low, high] of places
  note(section, "Drag along an axis to see some trials alone; click it to see all again.");

  plot(section, `Parallel coordinates of parameters and objective${goals.length > 1 ? "s" : ""}`, (given) => {
    const width = Math.max(given, 92 * axes), root = canvas(width, 330);
    const area = {left: 46, right: width - 62, top: 34, bottom: 274};
    const x = (axis) => area.left + (axis * (area.right - area.left)) / (axes - 1);
    const scales = data.parameters.map((parameter) => parameterScale(parameter, area.bottom, area.top, 5));
    const last = objectiveScale(values, data.objective.maximize ? area.bottom : area.top, data.objective.maximize ? area.top : area.bottom);
    scales.push(numbers(last.low, last.high, area.bottom, area.top, {log: last.log}));
    for (let i = 1; i < goals.length; ++i) {
      const further = drawn.map((trial) => valueOf(trial, i)).filter(Number.isFinite);
      scales.push(further.length > 0 ? numbers(Math.min(...further), Math.max(...further), area.bottom, area.top) : {ticks: []});
    }
    const unused = area.bottom + 26;
    const y = (trial, axis) => {
      const value = axis < count ? trial.point[axis] : hasValue(trial) ? valueOf(trial, axis - count) : null;
      return value === null || value === undefined ? unused : scales[axis].place(value);
    };
    const lines = drawn.map((trial) => {
      const places = Array.from({length: axes}, (_, axis) => y(trial, axis));
      return {places, node: svg("path", {class: `line ${classes(trial)}`, "data-trial": trial.number,
                                         d: path(places.map((place, axis) => [x(axis), place]))})};
    });
    root.append(svg("g", {}, lines.map((line) => line.node)));
    const show = () => {
      for (const {places, node} of lines)
        node.classList.toggle("out", [...chosen].some(([axis, [low, high]]) => places[axis] < low || places[axis] > high));
    };
    const bands = svg("g");
    root.append(bands);
    const showBands = () => bands.replaceChildren(...[...chosen].map(([axis, [low, high]]) =>
      svg("rect", {class: "chosen", x: x(axis) - 7, y: low, width: 14, height: high - low})));

    for (let axis = 0; axis < axes; ++axis) {
      const name = axis < count ? data.parameters[axis].name : goals[axis - count].metric;
      const {ticks} = scales[axis], place = x(axis);
      const room = Math.max(6, Math.floor((x(1) - x(0)) / 7.2));
      root.append(svg("text", {class: "title", x: place, y: 16, "text-anchor": axis === 0 && place < 60 ? "start" : "middle", dx: axis === 0 ? -20 : 0},
                      cut(name, room), svg("title", {}, name)),
                  svg("line", {class: "axis", x1: place, x2: place, y1: area.top, y2: area.bottom}));
      for (const tick of ticks)
        root.append(svg("text", {x: place + 6, y: tick.place + 4, class: "halo"}, cut(tick.text, room)));
      const isPartial = drawn.some((trial) => y(trial, axis) === unused);
      if (isPartial) root.append(svg("text", {x: place + 6, y: unused + 4}, axis < count ? "unused" : "none"));
      const brush = svg("rect", {class: "brush", "data-axis": axis, x: place - 9, y: area.top - 8, width: 18, height: area.bottom - area.top + 44});
      let from = null;
      const position = (event) => event.clientY - root.getBoundingClientRect().top;
      brush.addEventListener("pointerdown", (event) => {
        from = position(event);
        brush.setPointerCapture(event.pointerId);
        chosen.delete(axis);
      });
      brush.addEventListener("pointermove", (event) => {
        if (from === null) return;
        const to = position(event);
        if (Math.abs(to - from) > 3) chosen.set(axis, [Math.min(from, to), Math.max(from, to)]);
        showBands();
        show();
      });
      brush.addEventListener("pointerup", () => { from = null; showBands(); show(); });
      root.append(brush);
    }
    showBands();
    show();
    return root;
  });
  if (drawn.length < trials.length) note(section, `${drawn.length} of ${trials.length} trials are drawn, the best among them.`);
}

function slices() {
  const section = at("slices"), box = html("div", {class: "slices"});
  const trials = data.trials.filter((trial) => kind(trial) !== "open");
  const values = mattering(trials);
  if (values.length === 0) return note(section, "No trial has a value yet.");
  section.append(box);
  const drawn = thinned(trials, kMostMarksOfSlice);
  data.parameters.forEach((parameter, index) => {
    const cell = html("div");
    box.append(cell);
    plot(cell, `${parameter.name} against ${data.objective.metric}`, (width) => {
      const some = drawn.some((trial) => trial.point[index] === null), unused = 74;
      const area = {left: 52, right: width - 10, top: 36, bottom: 170}, root = canvas(width, 214);
      const from = some ? unused + 30 : area.left + 8;
      const across = parameterScale(parameter, from, area.right - 6, Math.max(2, Math.floor(width / 50)));
      const up = objectiveScale(values, area.bottom - 6, area.top), lane = area.bottom + 10;
      root.append(svg("text", {class: "title", x: 2, y: 12}, cut(parameter.name, Math.floor(width / 8)), svg("title", {}, parameter.name)));
      if (parameter.condition) root.append(svg("text", {x: 2, y: 26}, cut(`where ${parameter.condition}`, Math.floor(width / 6))));
      root.append(leftAxis(area, up), bottomAxis({...area, bottom: area.bottom + 18}, across));
      if (some) root.append(svg("text", {x: unused, y: area.bottom + 34, "text-anchor": "middle"}, "unused"));
      for (const trial of drawn) {
        const value = trial.point[index], spread = ((trial.number * 0.618034) % 1) - 0.5;
        const x = value === null ? unused + 24 * spread : across.place(value, spread);
        root.append(mark(trial, x, hasValue(trial) ? up.place(trial.value) : lane, 2.8));
      }
      return root;
    });
  });
}

function importance() {
  const section = at("importance");
  const shares = data.parameters.filter((parameter) => Number.isFinite(parameter.importance))
    .sort((a, b) => b.importance - a.importance);
  if (shares.length === 0) return note(section, "Too few complete trials to tell, or all are alike.");
  note(section, "What sets the best tenth of the trials apart (PED-ANOVA).");
  plot(section, "Importance of the parameters", (width) => {
    const row = 40, root = canvas(width, row * shares.length + 6);
    shares.forEach((parameter, i) => {
      const top = i * row, long = Math.max(1, (width - 4) * parameter.importance / shares[0].importance);
      root.append(svg("text", {class: "value", x: 1, y: top + 14}, cut(parameter.name, Math.floor(width / 9)), svg("title", {}, parameter.name)),
                  svg("text", {class: "value", x: width - 2, y: top + 14, "text-anchor": "end"}, percent(parameter.importance)),
                  svg("rect", {class: "bar", x: 1, y: top + 20, width: long, height: 9, rx: 2}));
    });
    return root;
  });
}

function rungs() {
  const section = at("rungs");
  const trials = data.trials.filter((trial) => trial.curve);
  if (!trials.some((trial) => trial.curve.length > 1)) {
    const why = `Each trial reported ${data.objective.metric} once at most: there is no curve to draw.`;
    return note(section, data.ended.length > 0 ? why : "No trial has ended yet.");
  }
  trials.sort((a, b) => (b === best ? -1 : a === best ? 1 : 0) || (rankClass.get(a.number) ?? "").localeCompare(rankClass.get(b.number) ?? ""));
  const points = trials.flatMap((trial) => trial.curve);
  const first = Math.min(...points.map((point) => point[0])), last = Math.max(...points.map((point) => point[0]));
  plot(section, "Learning curves, and where trials were stopped", (width) => {
    const area = {left: 58, right: width - 14, top: 36, bottom: 290}, root = canvas(width, 330);
    const log = first > 0 && data.rungs.length > 2 && last / first >= 8;
    const across = numbers(first, last, area.left, area.right, {log, count: width / 90});
    if (data.rungs.length > 0) across.ticks = data.rungs.map((rung) => ({place: across.place(rung), text: tickText(rung)}));
    const up = objectiveScale(points.map((point) => point[1]), area.bottom - 4, area.top);
    root.append(leftAxis(area, up, data.objective.metric), bottomAxis(area, across, data.resource));
    for (const rung of data.rungs) {
      const reached = data.trials.filter((trial) => trial.reached >= rung).length, x = across.place(rung);
      root.append(svg("line", {class: "rule rung", x1: x, x2: x, y1: area.top - 6, y2: area.bottom}),
                  svg("text", {x, y: area.top - 11, "text-anchor": x > width - 60 ? "end" : "middle"}, `${reached} here`));
    }
    for (const trial of trials)
      root.append(svg("path", {class: `line ${classes(trial)}`, "data-trial": trial.number,
                               d: path(trial.curve.map(([x, y]) => [across.place(x), up.place(y)]))}));
    for (const trial of trials)
      if (kind(trial) !== "complete" || trial === best) {
        const [x, y] = trial.curve.at(-1);
        root.append(mark(trial, across.place(x), up.place(y), 3.2));
      }
    return root;
  });
  section.append(legend());
  if (trials.length < data.curves) note(section, `${trials.length} of ${data.curves} curves are drawn, the best among them.`);
}
