// Rows in pages; every column can be sorted.

const kRowsOfPage = 25;

const isMissing = (value) => value === undefined || value === null || Number.isNaN(value);

function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b));
}

/// A table of `items` with a search field and a choice of states. A column is {name, value(item), text(value)}
/// and may have isNumber, type (a class of its cells), descends (sorted from the largest first) and precedes
/// (a comparison that counts before the values). `attributes(item)` are those of its row.
function table(section, items, all, {sorted, attributes, label}) {
  const look = kept(`table of ${label}`, () => ({by: sorted.name, descends: Boolean(sorted.descends), page: 0, words: "", state: ""}));
  sorted = all.find((column) => column.name === look.by) ?? sorted;
  const places = new Map(items.map((item, i) => [item, i]));
  const order = (a, b) => {
    const left = sorted.value(a), right = sorted.value(b);
    if (isMissing(left) || isMissing(right)) return isMissing(left) - isMissing(right);
    return sorted.precedes?.(a, b) || (look.descends ? compare(right, left) : compare(left, right)) || places.get(a) - places.get(b);
  };
  const cell = (column, item) => {
    const value = column.value(item), missing = isMissing(value);
    return html("td", {class: `${column.isNumber ? "number" : ""} ${column.type ?? ""}`, title: column.type === "cause" && !missing ? value : null},
                missing ? "–" : column.text(value));
  };
  const matches = (item) => (!look.state || item.state === look.state) &&
    (!look.words || all.some((column) => !isMissing(column.value(item)) && column.text(column.value(item)).toLowerCase().includes(look.words)));

  const head = html("tr"), body = html("tbody"), where = html("span", {class: "soft"});
  const search = html("input", {type: "search", value: look.words || null, placeholder: "search", "aria-label": `search the ${label}`});
  const states = html("select", {"aria-label": "state"}, html("option", {value: ""}, "all states"),
                      [...new Set(items.map((item) => item.state))].sort().map((name) => html("option", {value: name, selected: name === look.state ? "" : null}, name)));
  const back = html("button", {type: "button"}, "‹ back"), forth = html("button", {type: "button"}, "more ›");

  const show = () => {
    const found = items.filter(matches).sort(order);
    look.page = Math.max(0, Math.min(look.page, Math.ceil(found.length / kRowsOfPage) - 1));
    const begin = look.page * kRowsOfPage, shown = found.slice(begin, begin + kRowsOfPage);
    body.replaceChildren(...shown.map((item) => html("tr", attributes(item), all.map((column) => cell(column, item)))));
    where.textContent = found.length === 0 ? "none" : `${begin + 1} to ${begin + shown.length} of ${found.length}`;
    back.disabled = look.page === 0;
    forth.disabled = begin + kRowsOfPage >= found.length;
    all.forEach((column, i) => {
      const isSorted = column === sorted, th = head.children[i];
      isSorted ? th.setAttribute("aria-sort", look.descends ? "descending" : "ascending") : th.removeAttribute("aria-sort");
      th.firstChild.textContent = column.name + (isSorted ? (look.descends ? " ▾" : " ▴") : "");
    });
  };
  for (const column of all) {
    const button = html("button", {type: "button"}, column.name);
    button.addEventListener("click", () => {
      look.descends = column === sorted ? !look.descends : Boolean(column.descends);
      sorted = column;
      look.by = column.name;
      look.page = 0;
      show();
    });
    head.append(html("th", {scope: "col", class: column.isNumber ? "number" : ""}, button));
  }
  search.addEventListener("input", () => { look.words = search.value.toLowerCase(); look.page = 0; show(); });
  states.addEventListener("change", () => { look.state = states.value; look.page = 0; show(); });
  back.addEventListener("click", () => { --look.page; show(); });
  forth.addEventListener("click", () => { ++look.page; show(); });
  section.append(html("div", {class: "tools"}, search, states, back, forth, where),
                 html("div", {class: "rows"}, html("table", {}, html("thead", {}, head), body)));
  show();
}
