#include "kml/base/error.h"
#include "live/model/tables.h"

namespace kml::live {

namespace {

constexpr std::array<std::string_view, kAllTables.size()> kTableNames = {
    "jobs", "nodes", "runs", "sweeps", "pipelines", "serves", "schedules"};

/// In the order of Change::Kind.
constexpr std::array<std::string_view, 6> kKindNames = {"set", "drop", "synced", "lost", "back", "note"};

Change::Kind kind_of_name(const std::string& name) {
  for (size_t i = 0; i < kKindNames.size(); ++i)
    if (name == kKindNames[i]) return static_cast<Change::Kind>(i);
  throw Error(ErrorCode::failure, "unknown change \"" + name + "\"");
}

bool is_of_row(const Change& change) {
  return change.kind == Change::Kind::set || change.kind == Change::Kind::drop;
}

}  // namespace

std::string_view name_of(Table table) {
  return kTableNames[static_cast<size_t>(table)];
}

std::optional<Table> table_of_name(std::string_view name) {
  for (const Table table : kAllTables)
    if (name_of(table) == name) return table;
  return {};
}

std::string line_of(const Change& change) {
  Json line = {{"change", kKindNames[static_cast<size_t>(change.kind)]}, {"cluster", change.cluster}};
  if (!change.text.empty()) line["text"] = change.text;
  if (!is_of_row(change)) return json_text(line);
  line["table"] = name_of(change.table);
  line["id"] = change.id;
  if (change.kind == Change::Kind::drop) return json_text(line);
  line["order"] = change.order;
  // The row is already JSON, which need not be parsed and written again.
  std::string text = json_text(line);
  text.back() = ',';
  return text + "\"row\":" + change.data + "}";
}

Change change_of_line(std::string_view line) {
  const Json json = parse_json(line, "a change");
  Change change;
  change.kind = kind_of_name(string_at(json, {"change"}));
  change.cluster = string_at(json, {"cluster"});
  change.text = string_at(json, {"text"});
  if (!is_of_row(change)) return change;
  const std::string table = string_at(json, {"table"});
  const auto found = table_of_name(table);
  if (!found) throw Error(ErrorCode::failure, "unknown table \"" + table + "\"");
  change.table = *found;
  change.id = string_at(json, {"id"});
  change.order = string_at(json, {"order"});
  if (change.kind == Change::Kind::set) change.data = json_text(object_at(json, {"row"}));
  return change;
}

}  // namespace kml::live
