#include "kml/job/tables/kind_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "kml/base/text.h"
#include "kml/job/tables/capacity_tables.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/ui/table.h"

namespace kml::ui {

namespace {

using jobs::ListedKind;
using Cells = std::vector<Cell>;

/// Rows of objects. If several namespaces are listed, each row begins with its namespace.
class KindTable {
 public:
  KindTable(std::vector<std::string> header, const TableOptions& options)
      : options_(options), table_([&] {
          if (options.with_namespace) header.insert(header.begin(), "NAMESPACE");
          return Table(std::move(header));
        }()) {}

  void add(const Json& object, Cells row) {
    if (options_.with_namespace) row.insert(row.begin(), {api::namespace_of(object)});
    table_.add(std::move(row));
  }
  void drop_first(std::vector<std::string> columns) { table_.drop_first(std::move(columns)); }
  void print(const Streams& streams) const {
    table_.print(options_.wide ? uncut(streams) : streams, options_.with_header);
  }

 private:
  const TableOptions& options_;
  Table table_;
};

/// "12/64"; "?/64" if the use is unknown.
std::string used_of_total(const jobs::NodeView& node, std::string_view resource,
                          std::string (*text)(int64_t milli)) {
  const auto amount = [&](const api::Amounts& amounts) {
    const auto found = amounts.find(resource);
    return found == amounts.end() ? int64_t{0} : found->second;
  };
  return (node.used ? text(amount(*node.used)) : "?") + "/" + text(amount(node.total));
}

std::string cpus_text(int64_t milli) {
  return number_text(static_cast<double>(milli) / 1000);
}

std::string bytes_text(int64_t milli) {
  return memory_text(milli / 1000);
}

/// "disk=ssd,kubernetes.io/arch=amd64"
std::string labels_of(const Json& object) {
  std::vector<std::string> labels;
  for (const auto& [key, value] : object_at(object, {"metadata", "labels"}).items())
    labels.push_back(key + "=" + (value.is_string() ? value.get<std::string>() : ""));
  return join(labels, ",");
}

void print_node_rows(const Streams& streams, const jobs::KindListing& listing, const TableOptions& options) {
  std::vector<std::string> header = {"NODE", "TYPE", "GPUS", "FREE", "CPU", "MEMORY", "TAINTS", "STATE"};
  if (options.wide) header.emplace_back("LABELS");
  KindTable table(std::move(header), options);
  table.drop_first({"MEMORY", "CPU", "TAINTS"});
  for (const jobs::NodeView& node : listing.nodes) {
    std::vector<std::string> types, used, free;
    for (const jobs::NodeGpus& gpus : node.gpus) {
      types.push_back(gpus.type);
      used.push_back((node.used ? std::to_string(gpus.used) : "?") + "/" + std::to_string(gpus.total));
      free.push_back(node.used ? std::to_string(gpus.free()) : "?");
    }
    const bool is_well = node.trouble.empty();
    Cells row = {{api::name_of(node.object)},
                 {or_dash(join(types, ","))},
                 {or_dash(join(used, ","))},
                 {or_dash(join(free, ","))},
                 {used_of_total(node, "cpu", cpus_text)},
                 {used_of_total(node, "memory", bytes_text)},
                 {or_dash(join(node.taints, ","))},
                 {is_well ? "ready" : node.trouble, is_well ? Style::plain : Style::red}};
    if (options.wide) row.push_back({or_dash(labels_of(node.object))});
    table.add(node.object, std::move(row));
  }
  table.print(streams);
}

/// "RWO,ROX", in kubectl's format.
std::string access_modes(const Json& claim) {
  std::vector<std::string> modes;
  for (const Json& mode : array_at(claim, {"spec", "accessModes"})) {
    const std::string word = mode.is_string() ? mode.get<std::string>() : "";
    modes.push_back(word == "ReadWriteOnce"      ? "RWO"
                    : word == "ReadOnlyMany"     ? "ROX"
                    : word == "ReadWriteMany"    ? "RWX"
                    : word == "ReadWriteOncePod" ? "RWOP"
                                                 : word);
  }
  return join(modes, ",");
}

void print_claim_rows(const Streams& streams, const jobs::KindListing& listing, const TableOptions& options,
                      Time now) {
  KindTable table({"CLAIM", "STATE", "SIZE", "ACCESS", "CLASS", "AGE", "MOUNTED BY", "PROBLEM"}, options);
  table.drop_first({"AGE", "CLASS", "ACCESS"});
  for (const jobs::ClaimView& view : listing.claims) {
    const Json& claim = view.object;
    const std::string phase = api::phase_of(claim);
    const std::string size = string_at(claim, {"status", "capacity", "storage"},
                                       string_at(claim, {"spec", "resources", "requests", "storage"}));
    table.add(claim, {{api::name_of(claim)},
                      {phase, phase == "Bound" ? Style::plain : Style::yellow},
                      {or_dash(size)},
                      {or_dash(access_modes(claim))},
                      {or_dash(string_at(claim, {"spec", "storageClassName"}))},
                      {age(api::created_at(claim), now)},
                      {or_dash(join(view.mounted_by, ","))},
                      {view.problem}});
  }
  table.print(streams);
}

/// Prints a row for each resource of a quota.
void print_quota_rows(const Streams& streams, const jobs::KindListing& listing, const TableOptions& options) {
  KindTable table({"QUOTA", "RESOURCE", "USED", "HARD"}, options);
  for (const Json& quota : listing.items) {
    const Json& of_spec = object_at(quota, {"spec", "hard"});
    const Json& of_status = object_at(quota, {"status", "hard"});
    for (const auto& [resource, hard] : (of_status.empty() ? of_spec : of_status).items()) {
      const std::string used = string_at(quota, {"status", "used", resource}, "?");
      const std::string limit = hard.is_string() ? hard.get<std::string>() : hard.dump();
      table.add(
          quota,
          {{api::name_of(quota)}, {resource}, {used, used == limit ? Style::red : Style::plain}, {limit}});
    }
  }
  table.print(streams);
}

/// Prints a row for each resource of a limit range.
void print_limit_rows(const Streams& streams, const jobs::KindListing& listing, const TableOptions& options) {
  KindTable table({"LIMIT RANGE", "OF A", "RESOURCE", "MIN", "MAX", "DEFAULT REQUEST", "DEFAULT LIMIT"},
                  options);
  for (const Json& range : listing.items)
    for (const Json& limit : array_at(range, {"spec", "limits"})) {
      std::vector<std::string> resources;
      for (const char* part : {"min", "max", "default", "defaultRequest"})
        for (const auto& [resource, amount] : object_at(limit, {part}).items())
          if (std::find(resources.begin(), resources.end(), resource) == resources.end())
            resources.push_back(resource);
      for (const std::string& resource : resources) {
        const auto amount = [&](const char* part) -> Cell {
          return {or_dash(string_at(limit, {part, resource}))};
        };
        table.add(range, {{api::name_of(range)},
                          {string_at(limit, {"type"})},
                          {resource},
                          amount("min"),
                          amount("max"),
                          amount("defaultRequest"),
                          amount("default")});
      }
    }
  table.print(streams);
}

std::string keys_of(const Json& object) {
  std::vector<std::string> keys;
  for (const char* part : {"data", "binaryData"})
    for (const auto& [key, value] : object_at(object, {part}).items()) keys.push_back(key);
  return join(keys, ",");
}

std::string names_in(const Json& references) {
  std::vector<std::string> names;
  for (const Json& reference : references) names.push_back(api::entry_name(reference));
  return join(names, ",");
}

std::vector<std::string> header_of(ListedKind kind) {
  switch (kind) {
    case ListedKind::priority_classes:
      return {"PRIORITY CLASS", "VALUE", "DEFAULT", "PREEMPTS", "AGE", "DESCRIPTION"};
    case ListedKind::namespaces: return {"NAMESPACE", "STATE", "AGE"};
    case ListedKind::secrets: return {"SECRET", "TYPE", "AGE", "KEYS"};
    case ListedKind::config_maps: return {"CONFIG MAP", "AGE", "KEYS"};
    default: return {"SERVICE ACCOUNT", "AGE", "PULL SECRETS"};
  }
}

Cells row_of(ListedKind kind, const Json& object, Time now) {
  const Cell name{api::name_of(object)}, made{age(api::created_at(object), now)};
  switch (kind) {
    case ListedKind::priority_classes:
      return {name,
              {std::to_string(api::priority_value_of(object))},
              {bool_at(object, {"globalDefault"}) ? "yes" : "no"},
              {api::may_preempt(object) ? "yes" : "no"},
              made,
              {string_at(object, {"description"})}};
    case ListedKind::namespaces: return {name, {api::phase_of(object, "Active")}, made};
    case ListedKind::secrets:
      return {name, {string_at(object, {"type"}, "Opaque")}, made, {or_dash(keys_of(object))}};
    case ListedKind::config_maps: return {name, made, {or_dash(keys_of(object))}};
    default: return {name, made, {or_dash(names_in(array_at(object, {"imagePullSecrets"})))}};
  }
}

}  // namespace

void print_kind(const Streams& streams, const jobs::KindListing& listing, const TableOptions& options,
                Time now) {
  const ListedKind kind = listing.info->kind;
  switch (kind) {
    case ListedKind::nodes: return print_node_rows(streams, listing, options);
    case ListedKind::claims: return print_claim_rows(streams, listing, options, now);
    case ListedKind::queues: return print_queues(streams, listing.queues, options);
    case ListedKind::quotas: return print_quota_rows(streams, listing, options);
    case ListedKind::limits: return print_limit_rows(streams, listing, options);
    default: break;
  }
  KindTable table(header_of(kind), options);
  for (const Json& object : listing.items) table.add(object, row_of(kind, object, now));
  table.print(streams);
}

}  // namespace kml::ui
