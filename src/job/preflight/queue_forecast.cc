#include "job/preflight/queue_forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "job/capacity/kueue_api.h"
#include "job/capacity/queue_room.h"
#include "job/preflight/flavor_fit.h"
#include "job/preflight/preemption_fit.h"
#include "job/preflight/topology_fit.h"
#include "job/why/causes.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/kube/objects/selector.h"

namespace kml::job {

namespace {

/// Reads Kueue's objects. Objects that the user may not read stay empty, and are recorded.
class QueueReader {
 public:
  QueueReader(kube::Client& client, QueueForecast& forecast) : client_(client), forecast_(forecast) {}

  struct Answer {
    std::optional<Json> object;
    bool is_missing = false;
  };

  Answer get(const api::ResourceKind& kind, const std::string& where, const std::string& name) {
    auto found = client_.try_get(kind, where, name);
    if (Json* object = std::get_if<Json>(&found)) return {std::move(*object)};
    const Error& error = std::get<Error>(found);
    if (error.http_status == 404) return {{}, true};
    if (error.http_status != 403) throw error;
    forecast_.is_complete = false;
    if (kind.kind != "LocalQueue")  // other checks report an unreadable LocalQueue
      forecast_.unknown.push_back(
          fmt::format("whether the queue admits the job: you may not read {} {}", kind.kind, name));
    return {};
  }
  std::optional<std::vector<Json>> list_if_allowed(const api::ResourceKind& kind) {
    try {
      return client_.list(kind, "").items;
    } catch (const Error& error) {
      if (error.http_status != 403) throw;
      return {};
    }
  }
  /// All objects of the kind. Empty if the user may not list them.
  std::vector<Json> list(const api::ResourceKind& kind) {
    if (auto items = list_if_allowed(kind)) return std::move(*items);
    forecast_.is_complete = false;
    forecast_.unknown.push_back(fmt::format("whether the queue has room: you may not list {}", kind.plural));
    return {};
  }

 private:
  kube::Client& client_;
  QueueForecast& forecast_;
};

bool is_stopped(const Json& queue) {
  return string_at(queue, {"spec", "stopPolicy"}, "None") != "None" ||
         api::condition(queue, "Active").is_false();
}

/// A Workload as Kueue would create it for the job, with the condition that Kueue would set.
Json workload_of_plan(const Json& job, const std::vector<PodsWanted>& wanted, const std::string& queue,
                      const std::vector<std::string>& levels, const std::string& message) {
  Json workload = {{"metadata",
                    {{"namespace", api::namespace_of(job)},
                     {"ownerReferences", {{{"uid", api::uid_of(job)}, {"controller", true}}}}}},
                   {"spec", {{"queueName", queue}, {"podSets", Json::array()}}}};
  for (size_t i = 0; i < wanted.size(); ++i) {
    Json set = {{"count", wanted[i].count}, {"template", {{"spec", wanted[i].spec}}}};
    if (i < levels.size() && !levels[i].empty()) set["topologyRequest"] = {{"required", levels[i]}};
    workload["spec"]["podSets"].push_back(std::move(set));
  }
  workload["status"]["conditions"] = Json::array(
      {{{"type", "QuotaReserved"}, {"status", "False"}, {"reason", "Pending"}, {"message", message}}});
  return workload;
}

class Forecaster {
 public:
  Forecaster(kube::Client& client, const Json& job, const std::vector<PodsWanted>& wanted,
             const NodesAndPods& there)
      : job_(job), wanted_(wanted), there_(there), kueue_(client), reader_(client, forecast_) {
    job_["metadata"]["uid"] = "planned";
  }

  QueueForecast run() {
    const std::string message = refusal();
    if (forecast_.cause || message.empty()) return std::move(forecast_);
    Facts facts{.job = job_};
    facts.workloads = std::vector<Json>{workload_of_plan(job_, wanted_, queue_, levels_, message)};
    facts.sees_all_workloads = false;
    facts.local_queue = local_queue_;
    facts.cluster_queue = cluster_queue_;
    if (there_.nodes) facts.nodes = *there_.nodes;
    forecast_.checks.clear();
    forecast_.cause = queue_cause(facts);
    return std::move(forecast_);
  }

 private:
  /// Kueue's message about why the job waits; empty if Kueue would admit the job, or if that is unknown.
  std::string refusal() {
    const std::string where = api::namespace_of(job_);
    auto local = reader_.get(kueue_.local_queue(), where, queue_);
    if (!local.object) return "";  // other checks report a missing queue
    local_queue_ = std::move(local.object);
    if (string_at(*local_queue_, {"spec", "stopPolicy"}, "None") != "None")
      return fmt::format("LocalQueue {} is inactive", queue_);
    const std::string name = cluster_queue_of(*local_queue_);
    auto cluster = reader_.get(kueue_.cluster_queue(), "", name);
    if (cluster.is_missing) return fmt::format("ClusterQueue {} doesn't exist", name);
    if (!cluster.object) return "";
    cluster_queue_ = std::move(cluster.object);
    if (is_stopped(*cluster_queue_)) return fmt::format("ClusterQueue {} is inactive", name);
    if (!takes_namespace(where)) return "Workload namespace doesn't match ClusterQueue selector";
    for (const Json& check :
         array_at(*cluster_queue_, {"spec", "admissionChecksStrategy", "admissionChecks"}))
      forecast_.checks.push_back(api::entry_name(check));
    return shortage();
  }

  bool takes_namespace(const std::string& where) {
    const Json* selector = find(*cluster_queue_, {"spec", "namespaceSelector"});
    if (!selector || selector->is_null()) return false;
    if (selector->empty()) return true;
    const auto found = reader_.get(*api::find_kind("v1", "Namespace"), "", where);
    return !found.object ||
           api::LabelSelector::from_json(*selector).matches(object_at(*found.object, {"metadata", "labels"}));
  }

  std::string shortage() {
    const bool shares = !cohort_of(*cluster_queue_).empty();
    std::vector<Json> others;
    if (shares) others = reader_.list(kueue_.cluster_queue());
    if (shares && others.empty()) return "";
    const std::vector<Json> flavors = read_flavors();
    const std::optional<std::vector<Json>> workloads = reader_.list_if_allowed(kueue_.workload());
    if (workloads) {
      const auto all = [](const Json&) { return true; };
      cluster_queue_ = with_reservations(*cluster_queue_, *workloads, all);
      for (Json& queue : others) queue = with_reservations(std::move(queue), *workloads, all);
    }
    std::string refusal = flavor_refusal(wanted_, *cluster_queue_, others, flavors);
    if (refusal.empty() && there_.nodes)
      if (std::string no_domain = topology_refusal(wanted_, levels_, flavors, *there_.nodes, *there_.pods);
          !no_domain.empty())
        return no_domain;
    if (!workloads) return refusal;
    if (refusal.empty()) {
      wait_in_order(*workloads);
    } else if (fits_by_preemption(wanted_, priority(), *cluster_queue_, others, flavors, *workloads)) {
      forecast_.preempts = true;
      return "";
    }
    return refusal;
  }

  std::vector<Json> read_flavors() {
    std::vector<Json> flavors;
    std::set<std::string> names;
    for (const Json& group : array_at(*cluster_queue_, {"spec", "resourceGroups"}))
      for (const Json& flavor : array_at(group, {"flavors"})) names.insert(api::entry_name(flavor));
    for (const std::string& name : names)
      if (auto found = reader_.get(kueue_.resource_flavor(), "", name); found.object)
        flavors.push_back(std::move(*found.object));
    return flavors;
  }

  /// A queue with strict order admits no job while another job waits ahead of it.
  void wait_in_order(const std::vector<Json>& workloads) {
    if (string_at(*cluster_queue_, {"spec", "queueingStrategy"}) != "StrictFIFO") return;
    const long long own = priority();
    const auto before = std::count_if(workloads.begin(), workloads.end(), [&](const Json& workload) {
      return queue_name_of(workload) == queue_ && api::namespace_of(workload) == api::namespace_of(job_) &&
             is_active(workload) && !api::condition_is_true(workload, "QuotaReserved") &&
             !api::condition_is_true(workload, "Finished") && api::priority_of(workload) >= own;
    });
    if (before == 0) return;
    forecast_.cause =
        make_cause(CauseCode::queue_pending, "waits in queue " + queue_,
                   fmt::format("queue {} admits jobs in strict order, and {} ahead of this one", queue_,
                               before == 1 ? "1 job waits" : fmt::format("{} jobs wait", before)));
  }

  /// The priority of the job's Kueue priority class, otherwise the priority of its pods.
  long long priority() {
    const std::string name = api::label_of(job_, "kueue.x-k8s.io/priority-class");
    if (!name.empty())
      if (const auto found = reader_.get(kueue_.workload_priority_class(), "", name); found.object)
        return int_at(*found.object, {"value"});
    return wanted_.empty() ? 0 : int_at(wanted_[0].spec, {"priority"});
  }

  Json job_;
  const std::vector<PodsWanted>& wanted_;
  const NodesAndPods there_;
  const std::vector<std::string> levels_ = required_levels(job_);
  const std::string queue_ = api::label_of(job_, api::kKueueQueue);
  QueueForecast forecast_;
  KueueApi kueue_;
  QueueReader reader_;
  std::optional<Json> local_queue_, cluster_queue_;
};

}  // namespace

QueueForecast queue_forecast(kube::Client& client, const Json& job, const std::vector<PodsWanted>& wanted,
                             const NodesAndPods& there) {
  return Forecaster(client, job, wanted, there).run();
}

}  // namespace kml::job
