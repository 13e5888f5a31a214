#include "job/tables/kind_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "job/tables/capacity_tables.h"
#include "kml/base/text.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/ui/columns.h"
#include "kml/ui/table.h"

namespace kml::ui {

namespace {

using job::ListedKind;

/// Prints a row for each value. If several namespaces are listed, each row starts with the namespace of
/// `object_of(value)`.
template <typename Value, typename ObjectOf>
void print_rows(const Streams& streams, const TableOptions& options, std::vector<Column<Value>> columns,
                const std::vector<Value>& values, ObjectOf object_of,
                std::vector<std::string> may_drop = {}) {
  columns.insert(columns.begin(), {"NAMESPACE",
                                   [object_of](const Value& value) {
                                     return api::namespace_of(std::invoke(object_of, value));
                                   },
                                   options.with_namespace});
  Table table = table_of(columns, values);
  table.drop_first(std::move(may_drop));
  table.print(options.wide ? uncut(streams) : streams, options.with_header);
}

/// "12/64", or "?/64" if the usage is unknown.
std::string used_of_total(const job::NodeView& node, std::string_view resource,
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

using NodeColumn = Column<job::NodeView>;

/// A text for each kind of GPU on a node.
template <typename Text>
NodeColumn gpus_column(std::string name, Text text) {
  return {std::move(name), [text](const job::NodeView& node) {
            std::vector<std::string> texts;
            for (const job::NodeGpus& gpus : node.gpus) texts.push_back(text(node, gpus));
            return or_dash(join(texts, ","));
          }};
}

void print_node_rows(const Streams& streams, const job::KindListing& listing, const TableOptions& options) {
  using job::NodeGpus, job::NodeView;
  const std::vector<NodeColumn> columns = {
      {"NODE", [](const NodeView& node) { return api::name_of(node.object); }},
      gpus_column("TYPE", [](const NodeView&, const NodeGpus& gpus) { return gpus.type; }),
      gpus_column("GPUS",
                  [](const NodeView& node, const NodeGpus& gpus) {
                    return (node.used ? std::to_string(gpus.used) : "?") + "/" + std::to_string(gpus.total);
                  }),
      gpus_column("FREE", [](const NodeView& node,
                             const NodeGpus& gpus) { return node.used ? std::to_string(gpus.free()) : "?"; }),
      {"CPU", [](const NodeView& node) { return used_of_total(node, "cpu", cpus_text); }},
      {"MEMORY", [](const NodeView& node) { return used_of_total(node, "memory", bytes_text); }},
      {"TAINTS", [](const NodeView& node) { return or_dash(join(node.taints, ",")); }},
      {"STATE",
       [](const NodeView& node) -> Cell {
         return node.trouble.empty() ? Cell{"ready"} : Cell{node.trouble, Style::red};
       }},
      {"LABELS", [](const NodeView& node) { return or_dash(labels_of(node.object)); }, options.wide}};
  print_rows(streams, options, columns, listing.nodes, &NodeView::object, {"MEMORY", "CPU", "TAINTS"});
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

void print_claim_rows(const Streams& streams, const job::KindListing& listing, const TableOptions& options,
                      Time now) {
  using job::ClaimView;
  const std::vector<Column<ClaimView>> columns = {
      {"CLAIM", [](const ClaimView& claim) { return api::name_of(claim.object); }},
      {"STATE",
       [](const ClaimView& claim) -> Cell {
         const std::string phase = api::phase_of(claim.object);
         return {phase, phase == "Bound" ? Style::plain : Style::yellow};
       }},
      {"SIZE",
       [](const ClaimView& claim) {
         const std::string wanted = string_at(claim.object, {"spec", "resources", "requests", "storage"});
         return or_dash(string_at(claim.object, {"status", "capacity", "storage"}, wanted));
       }},
      {"ACCESS", [](const ClaimView& claim) { return or_dash(access_modes(claim.object)); }},
      {"CLASS",
       [](const ClaimView& claim) {
         return or_dash(string_at(claim.object, {"spec", "storageClassName"}));
       }},
      {"AGE", [now](const ClaimView& claim) { return age(api::created_at(claim.object), now); }},
      {"MOUNTED BY", [](const ClaimView& claim) { return or_dash(join(claim.mounted_by, ",")); }},
      {"PROBLEM", &ClaimView::problem}};
  print_rows(streams, options, columns, listing.claims, &ClaimView::object, {"AGE", "CLASS", "ACCESS"});
}

struct QuotaRow {
  const Json& quota;
  std::string resource, used, limit;
};

std::vector<QuotaRow> rows_of_quotas(const std::vector<Json>& quotas) {
  std::vector<QuotaRow> rows;
  for (const Json& quota : quotas) {
    const Json& of_spec = object_at(quota, {"spec", "hard"});
    const Json& of_status = object_at(quota, {"status", "hard"});
    for (const auto& [resource, hard] : (of_status.empty() ? of_spec : of_status).items())
      rows.push_back({quota, resource, string_at(quota, {"status", "used", resource}, "?"),
                      hard.is_string() ? hard.get<std::string>() : hard.dump()});
  }
  return rows;
}

void print_quota_rows(const Streams& streams, const job::KindListing& listing, const TableOptions& options) {
  const std::vector<Column<QuotaRow>> columns = {
      {"QUOTA", [](const QuotaRow& row) { return api::name_of(row.quota); }},
      {"RESOURCE", &QuotaRow::resource},
      {"USED",
       [](const QuotaRow& row) -> Cell {
         return {row.used, row.used == row.limit ? Style::red : Style::plain};
       }},
      {"HARD", &QuotaRow::limit}};
  print_rows(streams, options, columns, rows_of_quotas(listing.items),
             [](const QuotaRow& row) -> const Json& { return row.quota; });
}

struct LimitRow {
  const Json& range;
  const Json& limit;
  std::string resource;
};

/// A row for each resource in each limit range.
std::vector<LimitRow> rows_of_limits(const std::vector<Json>& ranges) {
  std::vector<LimitRow> rows;
  for (const Json& range : ranges)
    for (const Json& limit : array_at(range, {"spec", "limits"})) {
      std::vector<std::string> resources;
      for (const char* part : {"min", "max", "default", "defaultRequest"})
        for (const auto& [resource, amount] : object_at(limit, {part}).items())
          if (std::find(resources.begin(), resources.end(), resource) == resources.end())
            resources.push_back(resource);
      for (const std::string& resource : resources) rows.push_back({range, limit, resource});
    }
  return rows;
}

Column<LimitRow> amount_column(std::string name, const char* part) {
  return {std::move(name), [part](const LimitRow& row) {
            return or_dash(string_at(row.limit, {part, row.resource}));
          }};
}

void print_limit_rows(const Streams& streams, const job::KindListing& listing, const TableOptions& options) {
  const std::vector<Column<LimitRow>> columns = {
      {"LIMIT RANGE", [](const LimitRow& row) { return api::name_of(row.range); }},
      {"OF A", [](const LimitRow& row) { return string_at(row.limit, {"type"}); }},
      {"RESOURCE", &LimitRow::resource},
      amount_column("MIN", "min"),
      amount_column("MAX", "max"),
      amount_column("DEFAULT REQUEST", "defaultRequest"),
      amount_column("DEFAULT LIMIT", "default")};
  print_rows(streams, options, columns, rows_of_limits(listing.items),
             [](const LimitRow& row) -> const Json& { return row.range; });
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

std::string yes_or_no(bool is_so) {
  return is_so ? "yes" : "no";
}

std::vector<Column<Json>> columns_of(ListedKind kind, Time now) {
  const auto name = [](const Json& object) { return api::name_of(object); };
  const Column<Json> age_column{"AGE",
                                [now](const Json& object) { return age(api::created_at(object), now); }};
  const Column<Json> keys{"KEYS", [](const Json& object) { return or_dash(keys_of(object)); }};
  switch (kind) {
    case ListedKind::priority_classes:
      return {{"PRIORITY CLASS", name},
              {"VALUE", [](const Json& object) { return std::to_string(api::priority_value_of(object)); }},
              {"DEFAULT", [](const Json& object) { return yes_or_no(bool_at(object, {"globalDefault"})); }},
              {"PREEMPTS", [](const Json& object) { return yes_or_no(api::may_preempt(object)); }},
              age_column,
              {"DESCRIPTION", [](const Json& object) { return string_at(object, {"description"}); }}};
    case ListedKind::namespaces:
      return {{"NAMESPACE", name},
              {"STATE", [](const Json& object) { return api::phase_of(object, "Active"); }},
              age_column};
    case ListedKind::secrets:
      return {{"SECRET", name},
              {"TYPE", [](const Json& object) { return string_at(object, {"type"}, "Opaque"); }},
              age_column,
              keys};
    case ListedKind::config_maps: return {{"CONFIG MAP", name}, age_column, keys};
    default:
      return {{"SERVICE ACCOUNT", name}, age_column, {"PULL SECRETS", [](const Json& object) {
                                                        return or_dash(
                                                            names_in(array_at(object, {"imagePullSecrets"})));
                                                      }}};
  }
}

}  // namespace

void print_kind(const Streams& streams, const job::KindListing& listing, const TableOptions& options,
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
  print_rows(streams, options, columns_of(kind, now), listing.items, std::identity());
}

}  // namespace kml::ui
