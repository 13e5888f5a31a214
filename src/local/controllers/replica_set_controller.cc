#include "local/controllers/replica_set_controller.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>

#include "kml/base/error.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/kube/objects/selector.h"
#include "local/controllers/claim_dependents.h"
#include "local/controllers/pod_template.h"
#include "local/controllers/replica_ports.h"
#include "local/store/object.h"

namespace kml::local {

using namespace std::chrono_literals;

namespace {

constexpr const char* kReplicaSetComponent = "replicaset-controller";
/// The node runs at most 110 pods at once. If a set had more than a thousand pods, each reconciliation would
/// only take longer.
constexpr long long kMostReplicas = 1000;
constexpr auto kRetryCreation = 5s;

bool pod_is_ready(const Json& pod) {
  return api::condition_is_true(pod, "Ready");
}

Time ready_since(const Json& pod) {
  return api::condition(pod, "Ready").since().value_or(Time::max());
}

long long most_restarts(const Json& pod) {
  long long most = 0;
  for (const Json& status : api::container_statuses(pod)) most = std::max(most, api::restart_count(status));
  return most;
}

int phase_rank(const Json& pod) {
  const std::string phase = phase_of(pod);
  return phase == "Pending" ? 0 : phase == "Unknown" ? 1 : 2;
}

long long deletion_cost(const Json& pod) {
  return std::atoll(annotation_of(pod, "controller.kubernetes.io/pod-deletion-cost").c_str());
}

}  // namespace

bool is_deleted_first(const Json& a, const Json& b) {
  const auto rank = [](const Json& pod) {
    return std::tuple(!api::node_of(pod).empty(), phase_rank(pod), pod_is_ready(pod), deletion_cost(pod));
  };
  if (rank(a) != rank(b)) return rank(a) < rank(b);
  // Of two ready pods, first deletes the one that became ready later. If the times are equal, first deletes
  // the pod that restarted more often, otherwise the younger one.
  if (pod_is_ready(a) && ready_since(a) != ready_since(b)) return ready_since(a) > ready_since(b);
  if (most_restarts(a) != most_restarts(b)) return most_restarts(a) > most_restarts(b);
  return api::creation_text(a) > api::creation_text(b);
}

ReplicaSetController::ReplicaSetController(EventLoop& loop, Store& store, const Dependents& dependents,
                                           const Admission& admission, EventRecorder& events,
                                           const Clock& clock)
    : store_(store),
      dependents_(dependents),
      admission_(admission),
      events_(events),
      clock_(clock),
      queue_(loop, [this](const std::string& key) { look(key); }) {
  store.subscribe([this](const StoreEvent& event) { on_event(event); });
}

void ReplicaSetController::recover() {
  for (const ObjectPtr& set : store_.list(kinds::replica_set, "")) queue_.add(api::full_name_of(*set));
}

void ReplicaSetController::on_event(const StoreEvent& event) {
  const Json& object = *event.object;
  if (event.kind == &kinds::replica_set && event.change != Change::deleted)
    queue_.add(api::full_name_of(object));
  if (event.kind != &kinds::pod) return;
  if (const std::string owner = controller_name(object, kinds::replica_set); !owner.empty())
    queue_.add(owner);
  // The pod has no controller, so it may now belong to any set.
  if (!api::controller_of(object) && event.change != Change::deleted && !api::labels_of(object).empty())
    for (const ObjectPtr& set : store_.list(kinds::replica_set, namespace_of(object)))
      queue_.add(api::full_name_of(*set));
}

void ReplicaSetController::look(const std::string& key) {
  const ObjectPtr set = get_by_full_name(store_, kinds::replica_set, key);
  if (!set) return;
  std::vector<ObjectPtr> pods = claim_dependents(store_, dependents_, *set, kinds::pod);
  std::erase_if(pods, [](const ObjectPtr& pod) { return pod_has_ended(*pod) || is_being_deleted(*pod); });
  std::string failure;
  if (!is_being_deleted(*set)) {
    const long long wanted = std::min(kMostReplicas, int_at(*set, {"spec", "replicas"}, 1)),
                    present = static_cast<long long>(pods.size());
    if (present < wanted) failure = make_pods(*set, wanted - present);
    if (present > wanted) delete_pods(*set, pods, present - wanted);
  }
  save_status(*set, pods, failure);
}

std::string ReplicaSetController::make_pods(const Json& set, long long count) {
  try {
    for (; count > 0; --count) {
      Json pod = pod_from_template(api::pod_template_of(set), set,
                                   free_pod_name(name_of(set), namespace_of(set), store_));
      pod["metadata"]["generateName"] = name_of(set) + "-";
      give_ports(pod, store_);
      admission_.admit_new(kinds::pod, pod);
      store_.create(kinds::pod, pod);
      events_.record(set, "Normal", "SuccessfulCreate", "Created pod: " + name_of(pod), kReplicaSetComponent);
    }
    return {};
  } catch (const Error& error) {
    if (error.http_status == 0) throw;
    events_.record(set, "Warning", "FailedCreate", "Error creating: " + error.message, kReplicaSetComponent);
    queue_.add_after(api::full_name_of(set), kRetryCreation);
    return error.message;
  }
}

void ReplicaSetController::delete_pods(const Json& set, std::vector<ObjectPtr> pods, long long count) {
  std::stable_sort(pods.begin(), pods.end(),
                   [](const ObjectPtr& a, const ObjectPtr& b) { return is_deleted_first(*a, *b); });
  pods.resize(static_cast<size_t>(count));
  for (const ObjectPtr& pod : pods) {
    delete_pod(store_, *pod, clock_.now(), "");
    events_.record(set, "Normal", "SuccessfulDelete", "Deleted pod: " + name_of(*pod), kReplicaSetComponent);
  }
}

/// `pods` are the pods before this round's changes. The changes cause events, which lead to another round.
void ReplicaSetController::save_status(const Json& set, const std::vector<ObjectPtr>& pods,
                                       const std::string& failure) {
  const auto wanted_labels =
      api::LabelSelector::from_json({{"matchLabels", api::labels_of(api::pod_template_of(set))}});
  const auto min_ready = std::chrono::seconds(int_at(set, {"spec", "minReadySeconds"}));
  long long labeled = 0, ready = 0, available = 0;
  for (const ObjectPtr& pod : pods) {
    if (wanted_labels.matches(api::labels_of(*pod))) ++labeled;
    if (!pod_is_ready(*pod)) continue;
    ++ready;
    const nanoseconds left = min_ready == 0s ? 0ns : ready_since(*pod) + min_ready - clock_.now();
    if (left <= 0ns)
      ++available;
    else
      queue_.add_after(api::full_name_of(set), left);
  }
  store_.modify(kinds::replica_set, namespace_of(set), name_of(set), [&](Json& next) {
    if (uid_of(next) != uid_of(set)) return;
    next["status"].update({{"replicas", pods.size()},
                           {"fullyLabeledReplicas", labeled},
                           {"readyReplicas", ready},
                           {"availableReplicas", available},
                           {"observedGeneration", api::generation_of(set)}});
    if (!failure.empty())
      set_condition(next, "ReplicaFailure", true, "FailedCreate", failure, rfc3339(clock_.now()));
    else
      next["status"].erase("conditions");
  });
}

}  // namespace kml::local
