#include "kml/job/capacity/kind_listing.h"

#include <algorithm>
#include <map>

#include "job/capacity/limit_ranges.h"
#include "kml/base/agent.h"
#include "kml/base/text.h"
#include "kml/job/views/find.h"
#include "kml/job/views/ownership.h"
#include "kml/kube/list/brief_list.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/kube/objects/pod_fit.h"

namespace kml::job {

namespace {

constexpr ListedKindInfo kListedKinds[] = {
    {ListedKind::priority_classes, "priorityclasses", "pc priorityclass priorities priority classes",
     "the value, whether the class is the default, and whether it preempts"},
    {ListedKind::namespaces, "namespaces", "ns namespace", "state and age"},
    {ListedKind::nodes, "nodes", "no node", "GPUs, CPUs and memory requested and in total, taints, state"},
    {ListedKind::claims, "claims", "pvc persistentvolumeclaims persistentvolumeclaim claim",
     "size, access modes, storage class, who mounts the claim, and why it is not bound"},
    {ListedKind::queues, "queues", "lq localqueues localqueue queue",
     "cluster queue, admitted and waiting jobs, GPUs used and granted (Kueue, Volcano)"},
    {ListedKind::quotas, "quotas", "quota resourcequotas resourcequota", "used and granted, by resource"},
    {ListedKind::limits, "limits", "limitranges limitrange limit",
     "for each container, pod or volume claim, the minimum, the maximum and the defaults"},
    {ListedKind::secrets, "secrets", "secret", "the type and the keys, but never the values"},
    {ListedKind::config_maps, "configmaps", "cm configmap", "keys"},
    {ListedKind::service_accounts, "serviceaccounts", "sa serviceaccount", "pull secrets"},
};

/// The resource of a listed kind. Queues are not included, because their version must be looked up on the
/// server.
const api::ResourceKind& resource_of(ListedKind kind) {
  switch (kind) {
    case ListedKind::priority_classes: return *api::find_kind("scheduling.k8s.io/v1", "PriorityClass");
    case ListedKind::namespaces: return *api::find_kind("v1", "Namespace");
    case ListedKind::claims: return *api::find_kind("v1", "PersistentVolumeClaim");
    case ListedKind::quotas: return *api::find_kind("v1", "ResourceQuota");
    case ListedKind::limits: return kLimitRange;
    case ListedKind::secrets: return *api::find_kind("v1", "Secret");
    case ListedKind::config_maps: return *api::find_kind("v1", "ConfigMap");
    case ListedKind::service_accounts: return *api::find_kind("v1", "ServiceAccount");
    case ListedKind::queues:
    case ListedKind::nodes: break;
  }
  return *api::find_kind("v1", "Node");
}

/// Adds the values that a table shows but the objects themselves lack.
class Details {
 public:
  Details(kube::Client& client, const KindQuery& query, KindListing& listing)
      : client_(client), query_(query), listing_(listing) {}

  void add_to_nodes() {
    const auto pods = all_pods();
    GpuCount count(listing_.items);
    std::map<std::string, api::Amounts> used;  // by node
    for (const Json& pod : pods.value_or(std::vector<Json>())) {
      count.add(pod, "");
      if (!api::pod_has_ended(pod)) api::add(used[api::node_of(pod)], api::pod_requests(api::spec_of(pod)));
    }
    std::map<std::string, std::vector<NodeGpus>> gpus;  // by node
    for (const NodeGpus& of_node : count.nodes()) gpus[of_node.node].push_back(of_node);
    for (const Json& node : listing_.items) {
      const std::string name = api::name_of(node);
      NodeView view{node, gpus[name], api::allocatable_of(node), {}, shown_taints(node), trouble_of(node)};
      if (pods) view.used = used[name];
      listing_.nodes.push_back(std::move(view));
    }
  }

  void add_to_claims() {
    const auto pods =
        list_if_allowed("Pod", query_.namespace_name, "who mounts the claims: you may not list pods");
    const bool any_open = std::any_of(listing_.items.begin(), listing_.items.end(), is_open);
    std::optional<std::vector<Json>> events;
    if (any_open)
      events =
          list_if_allowed("Event", query_.namespace_name, "why claims are not bound: you may not list events",
                          "involvedObject.kind=PersistentVolumeClaim");
    // the jobs that use each claim, by the claim's full name
    std::map<std::string, std::vector<std::string>> users;
    for (const Json& pod : pods.value_or(std::vector<Json>()))
      if (!api::pod_has_ended(pod)) add_user(pod, users);
    for (const Json& claim : listing_.items) {
      ClaimView view{claim, users[api::full_name_of(claim)], ""};
      if (events && is_open(claim)) view.problem = newest_message(claim, *events);
      listing_.claims.push_back(std::move(view));
    }
  }

 private:
  static bool is_open(const Json& claim) { return api::phase_of(claim) != "Bound"; }

  std::optional<std::vector<Json>> list_if_allowed(std::string_view kind, const std::string& namespace_name,
                                                   std::string unknown, const std::string& fields = {}) {
    try {
      return client_.list(*api::find_kind("v1", kind), namespace_name, {.field_selector = fields}).items;
    } catch (const Error& error) {
      if (error.http_status != 403) throw;
      listing_.unknown.push_back(std::move(unknown));
      return {};
    }
  }

  /// The pods of all namespaces. Reads a brief list, which includes their requests, because there may be many
  /// pods.
  std::optional<std::vector<Json>> all_pods() {
    const kube::BriefQuery query{
        .kind = api::find_kind("v1", "Pod"), .namespace_name = "", .detail = kube::Detail::queue};
    kube::BriefList list = std::move(kube::list_briefly(client_, std::span(&query, 1))[0]);
    if (!list.error) return std::move(list.items);
    if (list.error->http_status != 403) throw *list.error;
    listing_.unknown.emplace_back("the use of the nodes: you may not list pods of all namespaces");
    return {};
  }

  /// Why the node is not fully usable: "not ready: container runtime is down", "cordoned", "DiskPressure: …".
  static std::string trouble_of(const Json& node) {
    std::vector<std::string> troubles;
    if (const std::string closed = closed_because(node); !closed.empty()) {
      const std::string said = api::condition(node, "Ready").message();
      troubles.push_back(closed + (closed == "not ready" && !said.empty() ? ": " + said : ""));
    }
    for (const char* pressure : {"DiskPressure", "MemoryPressure", "PIDPressure", "NetworkUnavailable"})
      if (const api::Condition under = api::condition(node, pressure); under.is_true())
        troubles.push_back(pressure + (under.message().empty() ? "" : ": " + under.message()));
    return join(troubles, "; ");
  }

  /// Adds the pod's job (or the pod itself, if it has no job) to each claim that the pod mounts.
  static void add_user(const Json& pod, std::map<std::string, std::vector<std::string>>& users) {
    const std::string job = job_key_of_pod(pod);
    const std::string user = job.empty() ? "pod " + api::name_of(pod) : parts_of_key(job).name;
    for (const Json& volume : api::volumes_in(api::spec_of(pod))) {
      const std::string claim = api::claim_name_of(volume);
      if (claim.empty()) continue;
      std::vector<std::string>& of_claim = users[api::namespace_of(pod) + "/" + claim];
      if (std::find(of_claim.begin(), of_claim.end(), user) == of_claim.end()) of_claim.push_back(user);
    }
  }

  static std::string newest_message(const Json& claim, const std::vector<Json>& events) {
    const Json* newest = nullptr;
    for (const Json& event : events)
      if (api::involved_uid(event) == api::uid_of(claim) &&
          (!newest || !api::is_earlier_event(event, *newest)))
        newest = &event;
    return newest ? api::message_of(*newest) : "";
  }

  kube::Client& client_;
  const KindQuery& query_;
  KindListing& listing_;
};

/// Shows names and keys, but no values: a secret's contents must never appear on a screen.
void hide_values(Json& secret) {
  for (const char* part : {"data", "binaryData"})
    for (const auto& [key, value] : object_at(secret, {part}).items()) secret[part][key] = "";
  if (find(secret, {"metadata", "annotations"}))
    secret["metadata"]["annotations"].erase("kubectl.kubernetes.io/last-applied-configuration");
}

std::vector<Json> objects_of(kube::Client& client, const ListedKindInfo& info, const KindQuery& query) {
  const api::ResourceKind& kind = resource_of(info.kind);
  try {
    return client.list(kind, query.namespace_name, {query.label_selector}).items;
  } catch (const Error& error) {
    if (error.http_status != 404) throw;
    throw Error(ErrorCode::failure, "the server has no " + std::string(info.word),
                "it does not serve the kind " + std::string(kind.kind));
  }
}

}  // namespace

std::span<const ListedKindInfo> listed_kinds() {
  return kListedKinds;
}

const ListedKindInfo* find_listed_kind(std::string_view word) {
  const std::string name = lower(word);
  for (const ListedKindInfo& info : kListedKinds) {
    const std::vector<std::string> names = split(info.names, ' ');
    if (name == info.word || std::find(names.begin(), names.end(), name) != names.end()) return &info;
  }
  return nullptr;
}

KindListing list_kind(kube::Client& client, const ListedKindInfo& info, const KindQuery& query) {
  KindListing listing{
      &info, info.kind == ListedKind::queues || resource_of(info.kind).namespaced, {}, {}, {}, {}, {}};
  const auto by_name = [](const Json& a, const Json& b) {
    return api::namespace_of(a) != api::namespace_of(b)
               ? natural_less(api::namespace_of(a), api::namespace_of(b))
               : natural_less(api::name_of(a), api::name_of(b));
  };
  if (info.kind == ListedKind::queues) {
    listing.queues = read_queues(client, query.namespace_name, query.label_selector);
    std::stable_sort(listing.queues.begin(), listing.queues.end(),
                     [&](const QueueView& a, const QueueView& b) { return by_name(a.object, b.object); });
    for (const QueueView& queue : listing.queues) listing.items.push_back(queue.object);
    return listing;
  }
  listing.items = objects_of(client, info, query);
  if (info.kind == ListedKind::priority_classes)
    std::stable_sort(listing.items.begin(), listing.items.end(), [](const Json& a, const Json& b) {
      return api::priority_value_of(a) > api::priority_value_of(b);
    });
  else
    std::stable_sort(listing.items.begin(), listing.items.end(), by_name);
  // An agent's jobs may not read ConfigMaps, see agents_references.h.
  if (info.kind == ListedKind::secrets || (info.kind == ListedKind::config_maps && runs_for_agent()))
    for (Json& secret : listing.items) hide_values(secret);
  Details details(client, query, listing);
  if (query.for_table && info.kind == ListedKind::nodes) details.add_to_nodes();
  if (query.for_table && info.kind == ListedKind::claims) details.add_to_claims();
  return listing;
}

}  // namespace kml::job
