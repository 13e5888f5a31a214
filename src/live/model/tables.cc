#include "live/model/tables.h"

#include <algorithm>
#include <charconv>
#include <tuple>
#include <utility>

namespace kml::live {

namespace {

/// The members of a job's row on which its position depends. A search of the text is faster than parsing
/// 10,000 rows.
struct QueuePlace {
  bool waits = false;
  std::string_view group;
  int told = 0;  ///< Kueue's position; 0 if unknown
};

std::string_view after(std::string_view text, std::string_view mark) {
  const size_t at = text.find(mark);
  return at == std::string_view::npos ? std::string_view() : text.substr(at + mark.size());
}

/// Only waiting jobs have a group.
QueuePlace place_of(const Row& row) {
  const std::string_view group = after(row.data, "\"group\":\"");
  if (group.empty()) return {};
  const std::string_view told = after(row.data, "\"position\":");
  int position = 0;
  std::from_chars(told.data(), told.data() + told.size(), position);
  return {true, group.substr(0, group.find('"')), position};
}

std::string_view namespace_in(std::string_view data) {
  const std::string_view rest = after(data, "\"namespace\":\"");
  return rest.substr(0, rest.find('"'));
}

void number_waiting(const std::vector<const Row*>& rows, const auto& set_position) {
  const Cluster* cluster = nullptr;
  std::string_view group;
  int position = 0;
  for (const Row* row : rows) {
    const QueuePlace place = place_of(*row);
    if (!place.waits) {
      set_position(*row, 0);
      continue;
    }
    if (row->cluster != cluster || place.group != group) position = 0;
    cluster = row->cluster;
    group = place.group;
    ++position;
    set_position(*row, place.told > 0 ? place.told : position);
  }
}

}  // namespace

bool Tables::Before::operator()(const Row* a, const Row* b) const {
  return std::tie(a->cluster->place, a->order, a->id) < std::tie(b->cluster->place, b->order, b->id);
}

Tables::Tables(const std::vector<std::string>& clusters) : sessions_(clusters.size()) {
  clusters_.reserve(clusters.size());
  for (const std::string& name : clusters) clusters_.push_back({.name = name, .place = clusters_.size()});
  for (Part& part : parts_) part.rows.resize(clusters.size());
}

Cluster* Tables::find_cluster(std::string_view name) {
  const auto found = std::ranges::find(clusters_, name, &Cluster::name);
  return found == clusters_.end() ? nullptr : &*found;
}

std::vector<Change> Tables::apply(const Change& change, Time now) {
  Cluster* cluster = find_cluster(change.cluster);
  if (!cluster) return {};
  switch (change.kind) {
    case Change::Kind::set: set(*cluster, change); break;
    case Change::Kind::drop: drop(*cluster, change.table, change.id); break;
    case Change::Kind::synced: cluster->is_synced = true; return drop_old(*cluster);
    case Change::Kind::lost:
      if (cluster->trouble.empty()) cluster->lost_since = now;
      cluster->trouble = change.text.empty() ? "no answer" : change.text;
      break;
    case Change::Kind::back:
      cluster->trouble.clear();
      cluster->lost_since.reset();
      break;
    case Change::Kind::note:
      cluster->note = change.text;
      cluster->noted = now;
      break;
  }
  return {};
}

void Tables::set_namespace(const std::string& cluster, const std::string& namespace_name) {
  if (Cluster* found = find_cluster(cluster)) found->namespace_name = namespace_name;
}

void Tables::begin_session(const std::string& cluster) {
  if (const Cluster* found = find_cluster(cluster)) ++sessions_[found->place];
}

void Tables::set(const Cluster& cluster, const Change& change) {
  Part& of_table = part(change.table);
  auto& rows = of_table.rows[cluster.place];
  const auto found = rows.find(change.id);
  Row* row = found == rows.end() ? nullptr : found->second.get();
  if (row && row->order != change.order) of_table.sorted.erase(row);
  const bool moves = !row || row->order != change.order;
  if (!row) {
    auto made = std::make_unique<Row>();
    row = made.get();
    row->cluster = &cluster;
    row->id = change.id;
    rows.emplace(row->id, std::move(made));
  }
  row->session = sessions_[cluster.place];
  row->order = change.order;
  row->data = change.data;
  row->is_active = row->data.find("\"active\":true") != std::string::npos;
  row->namespace_name = namespace_in(row->data);
  if (moves) of_table.sorted.insert(row);
  ++of_table.version;
}

void Tables::drop(const Cluster& cluster, Table table, const std::string& id) {
  Part& of_table = part(table);
  auto& rows = of_table.rows[cluster.place];
  const auto found = rows.find(id);
  if (found == rows.end()) return;
  of_table.sorted.erase(found->second.get());
  rows.erase(found);
  ++of_table.version;
}

std::vector<Change> Tables::drop_old(const Cluster& cluster) {
  std::vector<Change> drops;
  for (const Table table : kAllTables)
    for (const auto& [id, row] : part(table).rows[cluster.place])
      if (row->session != sessions_[cluster.place])
        drops.push_back({.kind = Change::Kind::drop, .cluster = cluster.name, .table = table, .id = row->id});
  for (const Change& each : drops) drop(cluster, each.table, each.id);
  return drops;
}

const std::vector<const Row*>& Tables::rows(Table table) {
  Part& of_table = part(table);
  if (of_table.shown_version == of_table.version) return of_table.shown;
  of_table.shown.assign(of_table.sorted.begin(), of_table.sorted.end());
  of_table.shown_version = of_table.version;
  if (table == Table::jobs)
    number_waiting(of_table.shown,
                   [](const Row& row, int position) { const_cast<Row&>(row).position = position; });
  return of_table.shown;
}

const Row* Tables::find(Table table, std::string_view cluster, std::string_view id) const {
  const auto found_cluster = std::ranges::find(clusters_, cluster, &Cluster::name);
  if (found_cluster == clusters_.end()) return nullptr;
  const auto& rows = part(table).rows[found_cluster->place];
  const auto found = rows.find(id);
  return found == rows.end() ? nullptr : found->second.get();
}

std::vector<Change> Tables::snapshot() const {
  std::vector<Change> changes;
  for (const Table table : kAllTables)
    for (const Row* row : part(table).sorted)
      changes.push_back({.kind = Change::Kind::set,
                         .cluster = row->cluster->name,
                         .table = table,
                         .id = row->id,
                         .order = row->order,
                         .data = row->data});
  for (const Cluster& cluster : clusters_) {
    if (cluster.is_synced) changes.push_back({.kind = Change::Kind::synced, .cluster = cluster.name});
    if (!cluster.note.empty())
      changes.push_back({.kind = Change::Kind::note, .cluster = cluster.name, .text = cluster.note});
    if (!cluster.trouble.empty())
      changes.push_back({.kind = Change::Kind::lost, .cluster = cluster.name, .text = cluster.trouble});
  }
  return changes;
}

}  // namespace kml::live
