#include "job/submit/longest_run.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "job/render/workload.h"
#include "job/spec/json_path.h"
#include "kml/base/text.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

namespace {

constexpr double kSecondsPerHour = 3600;

/// Kubernetes' default for terminationGracePeriodSeconds.
constexpr long long kDefaultGrace = 30;

/// Kueue's limit for the time of all starts together, see MaxExecTimeSecondsLabel in its source.
constexpr std::string_view kLimitOfAllStarts = "kueue.x-k8s.io/max-exec-time-seconds";

/// The controllers of Kubernetes and of the operators, whose restarts kml knows. Kueue's MultiKueue is one
/// more, but a job that it manages has a queue.
constexpr std::array<std::string_view, 6> kKnownManagers = {"",
                                                            "kubernetes.io/job-controller",
                                                            "jobset.sigs.k8s.io/jobset-controller",
                                                            "kubeflow.org/training-operator",
                                                            "kubeflow.org/mpi-operator",
                                                            "trainer.kubeflow.org/trainjob-controller"};

void find_longest_grace(const Json& part, long long& longest) {
  if (!part.is_structured()) return;
  longest = std::max(longest, int_at(part, {"terminationGracePeriodSeconds"}));
  for (const Json& member : part) find_longest_grace(member, longest);
}

/// How long pods of the job may keep their GPUs after they were told to end, in seconds. A TrainJob has its
/// grace period outside of a pod template.
double longest_grace(const Json& job) {
  std::optional<long long> of_pods;
  each_pod_template(job, [&](const Json& pod, int) {
    const long long grace = int_at(pod, {"spec", "terminationGracePeriodSeconds"}, kDefaultGrace);
    of_pods = std::max(of_pods.value_or(0), grace);
  });
  long long longest = of_pods.value_or(kDefaultGrace);
  find_longest_grace(job, longest);
  return static_cast<double>(longest);
}

/// The longest of the job's time limits, in seconds; empty if a part of the job has none.
std::optional<double> longest_limit(const Json& job) {
  const std::optional<render::Workload> workload = render::workload_of(job);
  if (!workload || workload->time_limits.empty()) return {};
  double longest = 0;
  for (const std::string& path : workload->time_limits) {
    const auto steps = spec::parse_path(path);
    const Json* limit = steps ? spec::find(job, *steps) : nullptr;
    if (!limit || !limit->is_number_integer() || limit->get<long long>() <= 0) return {};
    longest = std::max(longest, static_cast<double>(limit->get<long long>()));
  }
  return longest;
}

bool has_action(const Json& job, std::string_view action) {
  const Json& rules = array_at(job, {"spec", "failurePolicy", "rules"});
  return std::any_of(rules.begin(), rules.end(),
                     [&](const Json& rule) { return string_at(rule, {"action"}) == action; });
}

/// The largest number of starts of a job. A JobSet may start all of its jobs again up to maxRestarts times.
/// With RestartJob, it may also start single jobs again up to maxRestarts times.
double most_starts(const Json& job) {
  if (api::kind_name(job) != "JobSet") return 1;
  const auto restarts = static_cast<double>(int_at(job, {"spec", "failurePolicy", "maxRestarts"}));
  return 1 + restarts * (has_action(job, "RestartJob") ? 2 : 1);
}

/// Whether the operator may leave pods running after the job has ended.
bool leaves_pods(const Json& job) {
  if (!api::api_version_of(job).starts_with("kubeflow.org/")) return false;
  const std::string policy = string_at(job, {"spec", "runPolicy", "cleanPodPolicy"});
  return policy != "Running" && policy != "All";
}

/// Why the job may run for any length of time although it has time limits.
std::optional<NoLimit> no_limit_of_kind(const Json& job) {
  if (has_action(job, "RestartJobSetAndIgnoreMaxRestarts") ||
      has_action(job, "RestartJobAndIgnoreMaxRestarts"))
    return NoLimit{"a rule of its failure policy restarts it without a limit",
                   "use the action RestartJobSet in the template"};
  if (leaves_pods(job))
    return NoLimit{"its pods may go on after the job has ended, because of its cleanPodPolicy",
                   "set cleanPodPolicy: Running, the default of kml's templates"};
  const std::string manager = string_at(job, {"spec", "managedBy"});
  if (std::find(kKnownManagers.begin(), kKnownManagers.end(), manager) == kKnownManagers.end() &&
      !manager.starts_with("kueue."))
    return NoLimit{"kml does not know how often its controller, " + manager + ", restarts it",
                   "leave out managedBy in the template"};
  return {};
}

bool is_in_queue(const Json& job) {
  return !api::label_of(job, api::kKueueQueue).empty() ||
         !api::annotation_of(job, api::kKueueQueue).empty() ||
         string_at(job, {"spec", "managedBy"}).starts_with("kueue.");
}

/// The hours of all starts together, if Kueue limits them. Each time that Kueue stops the job, its pods may
/// use another grace period, so there is a limit only if they have none.
std::optional<double> hours_in_queues(const Json& job) {
  const std::string text = api::label_of(job, kLimitOfAllStarts);
  constexpr size_t kMostDigits = 9;
  const bool is_number = !text.empty() && text.size() <= kMostDigits &&
                         text.find_first_not_of("0123456789") == std::string::npos;
  if (!is_number || longest_grace(job) > 0) return {};
  const double seconds = std::stod(text);
  return seconds > 0 ? std::optional(seconds / kSecondsPerHour) : std::nullopt;
}

}  // namespace

NoLimit no_limit_in_queues() {
  return {
      "Kueue may stop a job in a queue, and start it again with its whole time limit, any number of times",
      "let Kueue limit all starts together: plan it with the flags --grace=0s and --label=" +
          std::string(kLimitOfAllStarts) + "=SECONDS"};
}

LongestRun longest_run(const Json& job) {
  if (auto none = no_limit_of_kind(job)) return {{}, std::move(none), false};
  const std::optional<double> in_queues = hours_in_queues(job);
  if (is_in_queue(job)) {
    if (in_queues) return {in_queues, {}, true};
    return {{}, no_limit_in_queues(), false};
  }
  const std::optional<double> limit = longest_limit(job);
  if (!limit) return {};
  const double hours = (*limit + longest_grace(job)) * most_starts(job) / kSecondsPerHour;
  return {in_queues ? std::max(hours, *in_queues) : hours, {}, in_queues.has_value()};
}

}  // namespace kml::job
