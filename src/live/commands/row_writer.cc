#include "live/commands/row_writer.h"

#include <functional>
#include <utility>
#include <vector>

namespace kml::cli {

using live::Change;

void RowWriter::set(live::Table table, const std::string& id, const std::string& order, const Json& row) {
  Change change{.kind = Change::Kind::set,
                .cluster = cluster_,
                .table = table,
                .id = id,
                .order = order,
                .data = json_text(row)};
  Part& of_table = part(table);
  const size_t hash = std::hash<std::string>()(change.order + '\n' + change.data);
  const auto [place, is_new] = of_table.rows.try_emplace(id);
  place->second.session = of_table.session;
  if (!is_new && place->second.hash == hash) return;
  place->second.hash = hash;
  print(change);
}

void RowWriter::drop(live::Table table, const std::string& id) {
  if (part(table).rows.erase(id) > 0)
    print({.kind = Change::Kind::drop, .cluster = cluster_, .table = table, .id = id});
}

void RowWriter::end(live::Table table) {
  const Part& of_table = part(table);
  std::vector<std::string> old;
  for (const auto& [id, known] : of_table.rows)
    if (known.session != of_table.session) old.push_back(id);
  for (const std::string& id : old) drop(table, id);
}

void RowWriter::say(Change::Kind kind, const std::string& text) {
  if (kind == Change::Kind::lost && std::exchange(lost_, text) == text) return;
  if (kind == Change::Kind::back) {
    if (lost_.empty()) return;
    lost_.clear();
  }
  if (kind == Change::Kind::note && std::exchange(note_, text) == text) return;
  print({.kind = kind, .cluster = cluster_, .text = text});
}

void RowWriter::print(const Change& change) {
  out_ << live::line_of(change) << "\n";
}

}  // namespace kml::cli
