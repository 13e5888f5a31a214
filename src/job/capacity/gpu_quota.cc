#include "kml/job/capacity/gpu_quota.h"

#include <map>

#include "job/capacity/kueue_api.h"
#include "job/capacity/volcano_api.h"
#include "kml/base/text.h"
#include "kml/job/capacity/capacity.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/quantity.h"

namespace kml::job {

namespace {

int64_t units_at(const Json& object, std::initializer_list<std::string_view> path) {
  const Json* value = find(object, path);
  if (!value) return 0;
  return api::quantity_units(value->is_string() ? value->get<std::string>() : value->dump()).value_or(0);
}

/// The objects of the kind. Empty if the user may not list them, or if the server does not have the kind.
std::vector<Json> list_if_allowed(kube::Client& client, const api::ResourceKind& kind,
                                  const std::string& namespace_name) {
  try {
    return client.list(kind, namespace_name).items;
  } catch (const Error& error) {
    if (error.http_status != 403 && error.http_status != 404) throw;
    return {};
  }
}

/// The quotas in a ClusterQueue's spec.resourceGroups, by flavor and resource.
std::map<std::pair<std::string, std::string>, Json> quotas_by_flavor(const Json& cluster_queue) {
  std::map<std::pair<std::string, std::string>, Json> quotas;
  visit_quotas(cluster_queue, [&](const Json& flavor, const Json& quota) {
    quotas[{api::entry_name(flavor), api::entry_name(quota)}] = quota;
  });
  return quotas;
}

std::string why_closed(const Json& queue) {
  const api::Condition active = api::condition(queue, "Active");
  return active.is_true() ? "" : active.message();
}

QueueView view_of_queue(const Json& local, const Json& cluster) {
  QueueView view;
  view.object = local;
  view.namespace_name = api::namespace_of(local);
  view.name = api::name_of(local);
  view.cluster_queue = cluster_queue_of(local);
  view.strategy = string_at(cluster, {"spec", "queueingStrategy"});
  view.problem = why_closed(cluster);
  if (view.problem.empty()) view.problem = why_closed(local);
  const auto count = [&local](const char* field) { return int_at(local, {"status", field}); };
  view.pending = count("pendingWorkloads");
  view.reserving = count("reservingWorkloads");
  view.admitted = count("admittedWorkloads");
  view.cohort = cohort_of(cluster);
  if (const Json* weight = find(cluster, {"spec", "fairSharing", "weight"}))
    view.weight = weight->is_string() ? weight->get<std::string>() : weight->dump();
  if (find(cluster, {"status", "fairSharing", "weightedShare"}))
    view.weighted_share = int_at(cluster, {"status", "fairSharing", "weightedShare"});
  const auto quotas = quotas_by_flavor(cluster);
  // Prefers the ClusterQueue's usage, because other LocalQueues use the same quota.
  for (const Json& flavor : array_at(cluster.is_null() ? local : cluster, {"status", "flavorsUsage"}))
    for (const Json& resource : array_at(flavor, {"resources"})) {
      const std::string name = api::entry_name(resource);
      if (!api::is_gpu_resource(name)) continue;
      GpuQuota quota{"queue " + view.name + " of " + view.cluster_queue,
                     view.namespace_name,
                     name,
                     api::entry_name(flavor),
                     {},
                     units_at(resource, {"total"}),
                     0,
                     {}};
      quota.borrowed = units_at(resource, {"borrowed"});
      if (const auto known = quotas.find({quota.flavor, name}); known != quotas.end()) {
        quota.limit = units_at(known->second, {"nominalQuota"});
        if (known->second.contains("borrowingLimit"))
          quota.borrowing_limit = units_at(known->second, {"borrowingLimit"});
      }
      view.quotas.push_back(std::move(quota));
    }
  return view;
}

QueueView view_of_volcano_queue(const Json& queue) {
  QueueView view;
  view.object = queue;
  view.name = api::name_of(queue);
  const auto count = [&queue](const char* field) { return int_at(queue, {"status", field}); };
  view.pending = count("pending") + count("inqueue");
  view.reserving = view.admitted = count("running");
  if (is_closed(queue)) view.problem = lower(string_at(queue, {"status", "state"}));
  for (const auto& [name, limit] : object_at(queue, {"spec", "capability"}).items())
    if (api::is_gpu_resource(name))
      view.quotas.push_back({"queue " + view.name + " of Volcano",
                             "",
                             name,
                             "",
                             units_at(queue, {"spec", "capability", name}),
                             units_at(queue, {"status", "allocated", name}),
                             0,
                             {}});
  return view;
}

/// Kueue's LocalQueues, each with its ClusterQueue. Empty if the server does not have Kueue.
std::optional<std::vector<QueueView>> read_kueue_queues(kube::Client& client,
                                                        const std::string& namespace_name,
                                                        const std::string& label_selector) try {
  const KueueApi kueue(client);
  std::map<std::string, Json> cluster_queues;
  for (const Json& queue : list_if_allowed(client, kueue.cluster_queue(), ""))
    cluster_queues[api::name_of(queue)] = queue;
  std::vector<QueueView> views;
  for (const Json& local : client.list(kueue.local_queue(), namespace_name, {label_selector}).items)
    views.push_back(view_of_queue(local, cluster_queues[cluster_queue_of(local)]));
  return views;
} catch (const Error& error) {
  if (error.http_status != 404) throw;
  return {};
}

/// Volcano's queues, which belong to no namespace. Empty if the server does not have Volcano, or if the user
/// may not list its queues.
std::optional<std::vector<QueueView>> read_volcano_queues(kube::Client& client,
                                                          const std::string& label_selector) try {
  std::vector<QueueView> views;
  for (const Json& queue : client.list(kVolcanoQueue, "", {label_selector, {}}).items)
    views.push_back(view_of_volcano_queue(queue));
  return views;
} catch (const Error& error) {
  if (error.http_status != 404 && error.http_status != 403) throw;
  return {};
}

}  // namespace

std::vector<QueueView> read_queues(kube::Client& client, const std::string& namespace_name,
                                   const std::string& label_selector) {
  std::optional<std::vector<QueueView>> kueue = read_kueue_queues(client, namespace_name, label_selector),
                                        volcano = read_volcano_queues(client, label_selector);
  if (!kueue && !volcano) {
    Error none(ErrorCode::failure, "found no Kueue or Volcano queues",
               "the server serves neither kueue.x-k8s.io nor scheduling.volcano.sh, or you may not list "
               "Volcano's queues",
               "`kml queue` shows the order in which the scheduler tries waiting jobs");
    none.http_status = 404;
    throw none;
  }
  std::vector<QueueView> views = kueue ? std::move(*kueue) : std::vector<QueueView>();
  if (volcano) std::move(volcano->begin(), volcano->end(), std::back_inserter(views));
  return views;
}

std::vector<GpuQuota> read_gpu_quotas(kube::Client& client, const std::string& namespace_name) {
  std::vector<GpuQuota> quotas;
  for (const Json& quota : list_if_allowed(client, *api::find_kind("v1", "ResourceQuota"), namespace_name))
    for (const auto& [name, limit] : object_at(quota, {"status", "hard"}).items()) {
      const std::string resource = name.starts_with("requests.") ? name.substr(9) : name;
      if (!api::is_gpu_resource(resource)) continue;
      quotas.push_back({"quota " + api::name_of(quota),
                        api::namespace_of(quota),
                        resource,
                        "",
                        units_at(quota, {"status", "hard", name}),
                        units_at(quota, {"status", "used", name}),
                        0,
                        {}});
    }
  try {
    for (const QueueView& queue : read_queues(client, namespace_name))
      quotas.insert(quotas.end(), queue.quotas.begin(), queue.quotas.end());
  } catch (const Error& error) {
    if (error.http_status != 403 && error.http_status != 404) throw;
  }
  return quotas;
}

}  // namespace kml::job
