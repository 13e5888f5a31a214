// A table of any number of rows, of which only the visible ones are elements.

const kRowHeight = 28, kSpare = 6;

/// A column is {name, width, grows, text(item), rank, kind(item), isNumber, draw(item)}: columns with a high rank
/// are left out first if the window is narrow; width is in pixels, at least, and `grows` its share of what is left.
function grid(parent, {label, columns: first, rows, open, empty, choose}) {
  let columns = first;
  const head = html("div", {class: "row head", role: "row"});
  const spacer = html("div", {class: "spacer"}), body = html("div", {class: "body", role: "rowgroup"});
  const scroller = html("div", {class: "scroller", tabindex: "0", role: "grid", "aria-label": label}, head, spacer);
  const nothing = html("p", {class: "note nothing"});
  spacer.append(body);
  parent.append(scroller, nothing);
  let items = [], shown = [], selected = 0, selectedKey = null, sort = kept(`sort of ${label}`, () => ({by: null, descends: false}));
  const chosen = kept(`chosen of ${label}`, () => new Set());

  const fitting = () => {
    let room = scroller.clientWidth;
    const fits = new Set();
    for (const column of [...columns].sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0))) {
      if (column.rank > 0 && column.width > room) continue;
      fits.add(column);
      room -= column.width;
    }
    return columns.filter((column) => fits.has(column));
  };
  const drawHead = () => {
    scroller.style.setProperty("--columns", shown.map(({width, grows}) => (grows ? `minmax(${width}px, ${grows}fr)` : `${width}px`)).join(" "));
    head.replaceChildren(...shown.map((column) => {
      const isSorted = sort.by === column.name;
      const cell = html("div", {role: "columnheader", class: column.isNumber ? "number" : null, "aria-sort": isSorted ? (sort.descends ? "descending" : "ascending") : null},
                        html("button", {type: "button", tabindex: "-1"}, column.name + (isSorted ? (sort.descends ? " ▾" : " ▴") : "")));
      cell.firstChild.addEventListener("click", () => {
        if (isSorted && sort.descends) sort.by = null;
        else if (isSorted) sort.descends = true;
        else Object.assign(sort, {by: column.name, descends: false});
        drawHead();
        update();
      });
      return cell;
    }));
  };
  const valueOf = (column, item) => (column.value ? column.value(item) : column.text(item));
  const inOrder = (list) => {
    const column = columns.find((each) => each.name === sort.by);
    if (!column) return list;
    const sign = sort.descends ? -1 : 1, missing = (value) => value === undefined || value === "" || value === null;
    return [...list].sort((a, b) => {
      const left = valueOf(column, a), right = valueOf(column, b);
      if (missing(left) || missing(right)) return missing(left) - missing(right);
      return sign * (typeof left === "number" && typeof right === "number" ? left - right : String(left).localeCompare(String(right), undefined, {numeric: true}));
    });
  };
  const drawRows = () => {
    const top = Math.max(0, Math.floor(scroller.scrollTop / kRowHeight) - kSpare);
    const end = Math.min(items.length, Math.ceil((scroller.scrollTop + scroller.clientHeight) / kRowHeight) + kSpare);
    body.style.transform = `translateY(${top * kRowHeight}px)`;
    body.replaceChildren(...items.slice(top, end).map((item, i) => {
      const number = top + i;
      const row = html("div", {role: "row", id: `row-${number}`, "aria-rowindex": number + 2, "aria-selected": String(number === selected),
                               class: `row${number === selected ? " selected" : ""}${chosen.has(item.key) ? " chosen" : ""}`},
                       shown.map((column) => {
                         const text = column.text(item) ?? "";
                         return html("div", {role: "gridcell", class: `${column.isNumber ? "number " : ""}${column.kind?.(item) ?? ""}`, title: String(text).length > 12 ? text : null},
                                     column.draw?.(item) ?? String(text));
                       }));
      row.addEventListener("click", (event) => {
        select(number);
        if (choose && event.target.classList.contains("choice")) toggle(item);
        else if (open) open(item);
      });
      return row;
    }));
    scroller.setAttribute("aria-activedescendant", items.length > 0 ? `row-${selected}` : "");
  };
  let isHeld = false; // the first row is selected until the user has chosen one
  const select = (number) => {
    isHeld = true;
    selected = Math.max(0, Math.min(items.length - 1, number));
    selectedKey = items[selected]?.key ?? null;
    const top = selected * kRowHeight, room = scroller.clientHeight - head.offsetHeight;
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    else if (top + kRowHeight > scroller.scrollTop + room) scroller.scrollTop = top + kRowHeight - room;
    drawRows();
  };
  const toggle = (item) => {
    chosen.delete(item.key) || chosen.add(item.key);
    drawRows();
    choose();
  };
  const update = () => {
    items = inOrder(rows());
    const place = isHeld ? items.findIndex((item) => item.key === selectedKey) : 0;
    selected = place >= 0 ? place : Math.max(0, Math.min(selected, items.length - 1));
    selectedKey = items[selected]?.key ?? null;
    spacer.style.height = `${items.length * kRowHeight}px`;
    scroller.setAttribute("aria-rowcount", items.length + 1);
    scroller.classList.toggle("isEmpty", items.length === 0);
    nothing.textContent = items.length === 0 ? empty() : "";
    drawRows();
  };
  const resize = () => { shown = fitting(); drawHead(); drawRows(); };
  let isScrollDue = false;
  scroller.addEventListener("scroll", () => {
    if (isScrollDue) return;
    isScrollDue = true;
    requestAnimationFrame(() => { isScrollDue = false; drawRows(); });
  });
  new ResizeObserver(resize).observe(scroller);
  resize();
  update();
  const pageful = () => Math.max(1, Math.floor(scroller.clientHeight / kRowHeight) - 2);
  const moves = {j: 1, ArrowDown: 1, k: -1, ArrowUp: -1, PageDown: pageful, PageUp: () => -pageful(), g: -Infinity, Home: -Infinity, G: Infinity, End: Infinity};
  return {
    update,
    use(wanted) {
      if (wanted.map((each) => each.name).join() === columns.map((each) => each.name).join()) return;
      columns = wanted;
      resize();
    },
    selected: () => items[selected],
    focus: () => scroller.focus({preventScroll: true}),
    /// Whether the key was one of the table's.
    press(key) {
      if (Object.hasOwn(moves, key)) {
        const by = typeof moves[key] === "function" ? moves[key]() : moves[key];
        select(by === Infinity ? items.length - 1 : by === -Infinity ? 0 : selected + by);
        return true;
      }
      const item = items[selected];
      isHeld ||= key === "Enter" || key === " ";
      if (key === "Enter" && item && open) open(item);
      else if (key === " " && item && choose) toggle(item);
      else return false;
      return true;
    },
  };
}
