#include "kml/serve/model/rollout.h"

#include <fmt/format.h>

#include <algorithm>

#include "job/why/causes.h"
#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/job/views/ownership.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/crash_loop.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/serve/model/manifests.h"
#include "kml/serve/model/watched_objects.h"
#include "serve/model/kserve.h"
#include "serve/model/revisions.h"

namespace kml::serve {

namespace {

constexpr std::string_view kHash = "pod-template-hash";
constexpr long long kLogLines = 5;

const api::ResourceKind& deployments() {
  return api::known_kind("apps/v1", "Deployment");
}
const api::ResourceKind& replica_sets() {
  return api::known_kind("apps/v1", "ReplicaSet");
}

/// Whether waiting is pointless, because the program or the manifest is wrong.
bool cannot_recover(const Json& pod) {
  constexpr std::string_view kHopeless[] = {"ImagePullBackOff",  "InvalidImageName",
                                            "ErrImageNeverPull", "CreateContainerConfigError",
                                            "RunContainerError", "CreateContainerError"};
  for (const char* list : {"initContainerStatuses", "containerStatuses"})
    for (const Json& status : api::container_statuses(pod, list)) {
      const std::string reason = api::waiting_reason(status);
      if (api::is_in_crash_loop(pod, status) && api::restart_count(status) > 0) return true;
      if (std::find(std::begin(kHopeless), std::end(kHopeless), reason) != std::end(kHopeless)) return true;
    }
  return false;
}

const Json* first_of(const WatchedObjects::Objects& objects) {
  return objects.empty() ? nullptr : &objects.begin()->second;
}

kube::WatchOptions called(const std::string& name) {
  return {.field_selector = "metadata.name=" + name};
}

/// The objects that belong to a rollout.
class RolloutView {
 public:
  RolloutView(kube::Client& client, const std::string& namespace_name, const Rollout& rollout)
      : watched_(client, namespace_name),
        services_(rollout.is_by_kserve ? &watched_.add(kInferenceService, called(rollout.name)) : nullptr),
        deployments_(watched_.add(deployments(), services_
                                                     ? kube::WatchOptions{.label_selector = rollout.selector}
                                                     : called(rollout.name))),
        sets_(watched_.add(replica_sets(), {.label_selector = rollout.selector})),
        pods_(watched_.add(api::known_kind("v1", "Pod"), {.label_selector = rollout.selector})) {}

  bool is_complete() const { return watched_.are_complete(); }
  /// Whether the object that the user named was deleted.
  bool is_gone() const { return (services_ ? *services_ : deployments_).empty(); }
  const Json* service() const { return services_ ? first_of(*services_) : nullptr; }
  /// For an InferenceService, null until KServe has copied the current state of the InferenceService into its
  /// Deployment.
  const Json* deployment() const {
    if (!services_) return first_of(deployments_);
    for (const auto& [uid, one] : deployments_)
      if (service() && is_deployment_of(one, *service()) && is_taken_up(*service(), one)) return &one;
    return nullptr;
  }
  /// The pods of the Deployment's current revision. Empty until that revision exists.
  std::vector<Json> current_pods() const {
    std::vector<Json> found;
    for (const auto& [set_uid, set] : sets_)
      if (deployment() && job::is_controlled_by(set, *deployment()) &&
          revision_number(set) == revision_number(*deployment()))
        for (const auto& [uid, pod] : pods_)
          if (job::is_controlled_by(pod, set) && !api::is_being_deleted(pod)) found.push_back(pod);
    return found;
  }

 private:
  WatchedObjects watched_;
  const WatchedObjects::Objects* services_;
  const WatchedObjects::Objects &deployments_, &sets_, &pods_;
};

bool is_observed(const Json& deployment) {
  return int_at(deployment, {"status", "observedGeneration"}) >= api::generation_of(deployment);
}

long long ready_of_current(const Json& deployment, const std::vector<Json>& pods) {
  const auto ready = std::count_if(pods.begin(), pods.end(),
                                   [](const Json& pod) { return api::condition_is_true(pod, "Ready"); });
  return std::min<long long>(ready, int_at(deployment, {"spec", "replicas"}, 1));
}

/// The last lines of a pod's log. If the pod has crashed, the last lines of its previous run. Empty if they
/// cannot be read.
std::vector<std::string> last_lines(kube::Client& client, const Json& pod) {
  const Json& statuses = api::container_statuses(pod);
  const bool has_crashed = !statuses.empty() && api::restart_count(statuses[0]) > 0 &&
                           !api::is_running(statuses[0]) && !api::terminated_in(statuses[0]);
  try {
    std::string text = client.log(api::namespace_of(pod), api::name_of(pod),
                                  {.container = api::entry_name(api::containers_of(pod).at(0)),
                                   .previous = has_crashed,
                                   .tail_lines = kLogLines});
    if (text.ends_with('\n')) text.pop_back();
    return text.empty() ? std::vector<std::string>() : split(text, '\n');
  } catch (const Error&) {
    return {};
  }
}

/// The kubelet's message about why a running pod is not ready.
std::string unready_because(kube::Client& client, const Json& pod) {
  const std::string name = api::name_of(pod);
  std::string message;
  try {
    const auto events = client
                            .list(api::known_kind("v1", "Event"), api::namespace_of(pod),
                                  {.field_selector = "involvedObject.name=" + name + ",reason=Unhealthy"})
                            .items;
    const auto last = std::max_element(events.begin(), events.end(), api::is_earlier_event);
    if (last != events.end()) message = api::message_of(*last);
  } catch (const Error&) {  // the user may not read events
  }
  return fmt::format("pod {} runs, but is not ready{}", name, message.empty() ? "" : ": " + message);
}

/// A container that has never run has no log to read.
std::string fix_of(const Json& deployment, const RolloutFailure& failure, std::optional<job::Cause> cause) {
  if (!failure.log.empty()) return "kml serve logs " + served_name(deployment);
  if (cause) {
    std::erase_if(cause->remedies,
                  [](const job::Remedy& remedy) { return remedy.command.starts_with("kml logs "); });
    job::name_maker(deployment, *cause);
  }
  if (!cause || cause->remedies.empty()) return kServeAgain;
  return job::in_words(cause->remedies[0]);
}

constexpr const char* kUseGivenPort =
    "let the command listen on the port in its variable PORT, because all replicas share this machine's "
    "ports; ";

/// Whether the pod has failed because it listens on a fixed port, not on the one that the embedded server has
/// given to this replica.
bool is_port_taken(const Json& pod, const std::vector<std::string>& log) {
  const auto says_so = [](const std::string& line) {
    return contains(lower(line), "address already in use") || contains(line, "EADDRINUSE");
  };
  return !api::annotation_of(pod, api::kPorts).empty() && std::any_of(log.begin(), log.end(), says_so);
}

RolloutFailure failure_of_pod(kube::Client& client, const Json& deployment, const Json& pod) {
  RolloutFailure failure{.cause = {}, .log = last_lines(client, pod), .pod = api::name_of(pod)};
  const std::optional<job::Cause> cause = job::pod_cause({.job = deployment}, pod);
  failure.cause = cause && !cause->summary.empty() ? cause->summary : unready_because(client, pod);
  failure.fix = fix_of(deployment, failure, cause);
  if (cause) failure.code = cause->code;
  if (is_port_taken(pod, failure.log)) {
    failure.cause += ": its port is already in use";
    failure.fix = kUseGivenPort + failure.fix;
  }
  return failure;
}

/// KServe has not made the Deployment, or not updated it.
RolloutFailure failure_of_kserve(kube::Client& client, const Json& service) {
  const std::string trouble = trouble_of_kserve(client, service);
  return {
      .cause = "KServe has not created or updated the Deployment" + (trouble.empty() ? "" : ": " + trouble),
      .fix = "ask whether KServe's controller runs; `kml why " + api::name_of(service) + "` checks again"};
}

std::string progress_of(const Json& deployment, const std::vector<Json>& pods) {
  return fmt::format("{} of {} replicas ready", ready_of_current(deployment, pods),
                     int_at(deployment, {"spec", "replicas"}, 1));
}

/// Why the rollout is not complete although each pod of the current revision is ready.
std::string cause_without_pod(const Json& deployment, const std::vector<Json>& pods) {
  if (!is_observed(deployment)) return "its controller has not noticed the change yet";
  const api::Condition refused = api::condition(deployment, "ReplicaFailure");
  if (refused.is_true()) return refused.message();
  const long long wanted = int_at(deployment, {"spec", "replicas"}, 1);
  if (ready_of_current(deployment, pods) < wanted)
    return fmt::format("it has only {} of {} pods", pods.size(), wanted);
  return "replicas of the previous revision are still stopping";
}

/// Why the rollout is not complete, judging by the first pod that is not ready.
RolloutFailure failure_now(kube::Client& client, const RolloutView& view) {
  if (!view.deployment()) return failure_of_kserve(client, *view.service());
  const std::vector<Json> pods = view.current_pods();
  for (const Json& pod : pods)
    if (!api::condition_is_true(pod, "Ready")) return failure_of_pod(client, *view.deployment(), pod);
  return {.cause = cause_without_pod(*view.deployment(), pods), .fix = kServeAgain};
}

RolloutFailure failure_in_time(kube::Client& client, const RolloutView& view) {
  RolloutFailure failure = failure_now(client, view);
  failure.is_out_of_time = true;
  if (const Json* deployment = view.deployment(); deployment && is_observed(*deployment))
    failure.progress = progress_of(*deployment, view.current_pods());
  return failure;
}

}  // namespace

bool is_rolled_out(const Json& deployment) {
  const long long wanted = int_at(deployment, {"spec", "replicas"}, 1);
  const Json& status = api::status_of(deployment);
  return is_observed(deployment) && int_at(status, {"updatedReplicas"}) >= wanted &&
         int_at(status, {"availableReplicas"}) >= wanted &&
         int_at(status, {"replicas"}) <= int_at(status, {"updatedReplicas"});
}

bool is_rolled_out(const Served& served) {
  if (served.deployment.is_null()) return false;
  return (!served.is_by_kserve() || is_taken_up(served.object, served.deployment)) &&
         is_rolled_out(served.deployment);
}

Rollout rollout_of(const Json& deployment) {
  const std::string name = served_name(deployment);
  return {.name = name,
          .selector = replica_selector(deployment),
          .is_by_kserve = !api::label_of(deployment, kOfInferenceService).empty()};
}

Rollout rollout_of(const Served& served) {
  return served.is_by_kserve() ? rollout_by_kserve(api::name_of(served.object))
                               : rollout_of(served.deployment);
}

Rollout rollout_by_kserve(const std::string& name) {
  return {.name = name, .selector = std::string(kOfInferenceService) + "=" + name, .is_by_kserve = true};
}

std::optional<RolloutFailure> wait_for_rollout(kube::Client& client, const std::string& namespace_name,
                                               const Rollout& rollout, const job::Interrupt& interrupt,
                                               std::chrono::seconds limit,
                                               const std::function<void(const std::string&)>& progress) {
  const RolloutView view(client, namespace_name, rollout);
  const int wake[] = {interrupt.fd()};
  const auto deadline = client.transport().now() + limit;
  for (;;) {
    client.transport().wait(std::chrono::milliseconds(500), wake);
    interrupt.check();
    if (!view.is_complete()) continue;
    if (view.is_gone())
      return RolloutFailure{.cause = (rollout.is_by_kserve ? "InferenceService " : "Deployment ") +
                                     rollout.name + " was deleted",
                            .fix = "serve it again"};
    const Json* deployment = view.deployment();
    if (deployment && is_rolled_out(*deployment)) return {};
    if (!deployment) {
      progress("waiting for KServe");
    } else if (is_observed(*deployment)) {
      const std::vector<Json> pods = view.current_pods();
      for (const Json& pod : pods)
        if (cannot_recover(pod)) return failure_of_pod(client, *deployment, pod);
      progress(progress_of(*deployment, pods));
    }
    if (client.transport().now() >= deadline) return failure_in_time(client, view);
  }
}

namespace {

/// The running pods of the Deployment, as ranks of `name`.
std::vector<pod::RunningRank> ranks_of(kube::Client& client, const Json& deployment, const std::string& name,
                                       const std::string& selector, const std::string& container) {
  const std::string namespace_name = api::namespace_of(deployment);
  std::vector<pod::RunningRank> ranks;
  job::Ownership ownership;
  for (const Json& pod :
       client.list(api::known_kind("v1", "Pod"), namespace_name, {.label_selector = selector}).items) {
    if (api::phase_of(pod) != "Running" || api::is_being_deleted(pod)) continue;
    if (!ownership.has(client, deployment, pod)) continue;
    const std::string pod_name = api::name_of(pod);
    ranks.push_back(
        {.namespace_name = namespace_name,
         .pod = pod_name,
         .pod_uid = api::uid_of(pod),
         .container = container.empty() ? api::entry_name(api::containers_of(pod).at(0)) : container,
         .job = name,
         .label = pod_name.substr(pod_name.rfind('-') + 1),
         .served_port = api::container_port(api::spec_of(pod), kPortName)});
  }
  return ranks;
}

}  // namespace

std::vector<pod::RunningRank> running_pods(kube::Client& client, const std::string& namespace_name,
                                           const std::string& name, const std::string& selector) {
  const auto deployment = client.get_if_exists(deployments(), namespace_name, name);
  if (!deployment) return {};
  return ranks_of(client, *deployment, name, selector, "");
}

std::vector<pod::RunningRank> served_ranks(kube::Client& client, const std::string& namespace_name,
                                           const std::string& name, const std::string& label,
                                           const std::string& container) {
  const std::optional<Served> served = find_served_if_exists(client, namespace_name, name);
  if (!served || served->deployment.is_null()) return {};
  std::vector<pod::RunningRank> ranks =
      ranks_of(client, served->deployment, name, replica_selector(served->deployment), container);
  if (!label.empty()) std::erase_if(ranks, [&](const pod::RunningRank& rank) { return rank.label != label; });
  return ranks;
}

void add_service_port(kube::Client& client, const std::string& name,
                      std::vector<pod::RunningRank>& ranks) try {
  if (ranks.empty()) return;
  const auto service = client.get_if_exists(api::known_kind("v1", "Service"), ranks[0].namespace_name, name);
  const Json ports = service ? array_at(*service, {"spec", "ports"}) : Json::array();
  for (pod::RunningRank& rank : ranks)
    if (!ports.empty()) rank.service_port = static_cast<int>(int_at(ports[0], {"port"}));
} catch (const Error& error) {  // the user may not read Services
  if (error.http_status != 403) throw;
}

}  // namespace kml::serve
