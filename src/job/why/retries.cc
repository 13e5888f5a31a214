#include "job/why/retries.h"

#include <algorithm>

#include "kml/base/text.h"
#include "kml/job/views/kinds.h"
#include "kml/job/views/pod_view.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

namespace {

/// The default of a batch/v1 Job.
constexpr long long kDefaultOfJob = 6;

/// How many failures a JobSet survives. Its Jobs may replace failed pods themselves, and then the JobSet
/// takes no notice.
std::optional<long long> retries_of_set(const Json& set) {
  const Json& jobs = array_at(set, {"spec", "replicatedJobs"});
  const auto replaces_pods = [](const Json& replicated) {
    return int_at(replicated, {"template", "spec", "backoffLimit"}, kDefaultOfJob) != 0;
  };
  if (std::any_of(jobs.begin(), jobs.end(), replaces_pods)) return {};
  return int_at(set, {"spec", "failurePolicy", "maxRestarts"});
}

/// When the operator restarts the pod: "Never", "ExitCode", "OnFailure" or "Always". Lists leave out the
/// pod's labels, but its name has the type of its replica, too.
std::string restart_policy_of(const Json& job, const Json& pod) {
  for (const auto& [type, replica] : api::replicas_of(job).items())
    if (api::label_of(pod, api::kReplicaType) == lower(type) ||
        api::name_of(pod).starts_with(api::name_of(job) + "-" + lower(type) + "-"))
      return string_at(replica, {"restartPolicy"}, "OnFailure");
  return "OnFailure";
}

/// Whether the training operator (v1) replaces the failed pod of a PyTorchJob. With ExitCode, it takes codes
/// of 128 and more for those of a signal.
bool is_made_again(const Json& job, const Json& pod) {
  constexpr int kFirstOfSignals = 128;
  const std::string policy = restart_policy_of(job, pod);
  return policy == "ExitCode" ? basic_view_of_pod(pod).exit_code.value_or(0) >= kFirstOfSignals
                              : policy != "Never";
}

/// The operator restarts without limit, unless the job has one.
std::optional<long long> retries_of_ranks(const Json& job, const Json* failed) {
  if (failed && !is_made_again(job, *failed)) return 0;
  const Json& policy = api::run_policy_of(job);
  return find(policy, {"backoffLimit"}) ? std::optional(api::backoff_limit_in(policy)) : std::nullopt;
}

}  // namespace

long long failures_of_set(const Json& set, std::span<const Json* const> failed) {
  const long long restarts = int_at(set, {"status", "restarts"});
  const bool is_of_now = std::ranges::any_of(failed, [&](const Json* pod) {
    const auto attempt = whole_number(api::label_of(*pod, api::kRestartAttempt));
    return !attempt || *attempt == restarts;
  });
  // Only a rule of its policy lets a JobSet restart without counting it.
  const bool counts_all = array_at(set, {"spec", "failurePolicy", "rules"}).empty();
  return (counts_all ? restarts : int_at(set, {"status", "restartsCountTowardsMax"})) + (is_of_now ? 1 : 0);
}

std::optional<long long> retries_of(const Json& job, const Json* failed) {
  const std::string kind = api::kind_name(job);
  if (is_plain_job(job)) return api::backoff_limit_of(job, kDefaultOfJob);
  // The MPI operator passes the limit on to the Job of the launcher, which has the default.
  if (kind == "MPIJob") return api::backoff_limit_in(api::run_policy_of(job), kDefaultOfJob);
  if (kind == "JobSet") return retries_of_set(job);
  if (kind == "PyTorchJob") return retries_of_ranks(job, failed);
  return {};
}

}  // namespace kml::job
