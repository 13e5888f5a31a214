#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kml/api/quantity.h"
#include "kml/jobs/capacity/capacity.h"
#include "kml/jobs/capacity/gpu_quota.h"
#include "kml/kube/client.h"

namespace kml::jobs {

/// What `kml list` lists beside jobs: what a job needs, and what may keep it from running.
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
  std::string_view word;   ///< as kml calls them, "claims"
  std::string_view names;  ///< kubectl's, and the singular: "pvc persistentvolumeclaims …"
  std::string_view shown;  ///< what its table says of each
};
std::span<const ListedKindInfo> listed_kinds();
/// By any of its names, in any case; nullptr if none is so called.
const ListedKindInfo* find_listed_kind(std::string_view word);

/// A node, and what of it the pods there have asked for. Amounts as in api::Amounts.
struct NodeView {
  Json object;
  std::vector<NodeGpus> gpus;
  api::Amounts total;
  std::optional<api::Amounts> used;  ///< empty where pods may not be listed
  std::vector<std::string> taints;
  std::string trouble;  ///< why it takes no pods, or fewer: "not ready: …", "cordoned", "DiskPressure: …"
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
  std::vector<Json> items;  ///< the objects, by name; Secrets without what they hold
  // One for each of these items, where the listing is of that kind and was asked for a table.
  std::vector<NodeView> nodes;
  std::vector<ClaimView> claims;
  std::vector<QueueView> queues;
  std::vector<std::string> unknown;  ///< what could not be read: "who mounts them: you may not list pods"
};

struct KindQuery {
  std::string namespace_name;  ///< empty means all
  std::string label_selector = {};
  bool for_table = true;  ///< with what other objects say of them
};

/// Throws Error if the kind may not be listed, or the server does not have it.
KindListing list_kind(kube::Client& client, const ListedKindInfo& info, const KindQuery& query);

}  // namespace kml::jobs
