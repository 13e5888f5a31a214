#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kml/job/capacity/capacity.h"
#include "kml/job/capacity/gpu_quota.h"
#include "kml/kube/client/client.h"
#include "kml/kube/objects/quantity.h"

namespace kml::job {

/// The kinds in `kml list` besides jobs: objects that jobs need, or that may keep them from running.
enum class ListedKind {
  priority_classes,
  namespaces,
  nodes,
  claims,
  queues,
  quotas,
  limits,
  secrets,
  config_maps,
  service_accounts,
};

struct ListedKindInfo {
  ListedKind kind;
  std::string_view word;  ///< kml's name, "claims"
  /// further names: those of kubectl, and the singular of `word`: "pvc persistentvolumeclaims …"
  std::string_view names;
  std::string_view shown;  ///< the columns of the kind's table, in words
};
std::span<const ListedKindInfo> listed_kinds();
/// Finds a kind by any of its names, in upper or lower case; nullptr if unknown.
const ListedKindInfo* find_listed_kind(std::string_view word);

/// A node and the requests of its pods. Amounts are as in api::Amounts.
struct NodeView {
  Json object;
  std::vector<NodeGpus> gpus;
  api::Amounts total;
  std::optional<api::Amounts> used;  ///< the requests of the node's pods; empty if the user may not list pods
  std::vector<std::string> taints;
  /// why the node accepts no pods, or only some: "not ready: …", "cordoned", "DiskPressure: …"
  std::string trouble;
};

/// A volume claim, the jobs and pods that mount it, and why it is not bound.
struct ClaimView {
  Json object;
  std::vector<std::string> mounted_by;
  std::string problem;
};

struct KindListing {
  const ListedKindInfo* info;
  bool is_namespaced;
  std::vector<Json> items;  ///< the objects, sorted by namespace and name (priority classes: by value);
                            ///< Secrets and, for an agent, ConfigMaps lack their values
  // One entry per item if the listing has this kind; nodes and claims only if it is meant for a table.
  std::vector<NodeView> nodes;
  std::vector<ClaimView> claims;
  std::vector<QueueView> queues;
  /// The parts that could not be read: "who mounts the claims: you may not list pods".
  std::vector<std::string> unknown;
};

struct KindQuery {
  std::string namespace_name;  ///< the namespace to list; empty means all namespaces
  std::string label_selector = {};
  bool for_table = true;  ///< whether data from related objects is needed, too
};

/// Throws Error if the user may not list the kind, or if the server does not have it.
KindListing list_kind(kube::Client& client, const ListedKindInfo& info, const KindQuery& query);

}  // namespace kml::job
