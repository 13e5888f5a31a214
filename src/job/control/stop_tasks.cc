#include "job/control/stop_tasks.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <string>

#include "kml/job/control/control.h"
#include "kml/job/control/wait.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

using namespace std::chrono_literals;
using SteadyClock = std::chrono::steady_clock;

// A pod that kml stops fails after a second, and its job then starts no other pods. A task that ends by
// itself within that second does not fail, so its job starts the next task.
constexpr auto kTimeToFail = 1500ms;
// Time for the kubelet and the controller to react, in addition to the grace period.
constexpr auto kTimeToReport = 30s;

/// Whether the controller still creates a new pod for each pod that ends.
bool replaces_tasks(const Json& job) {
  for (const char* type : {"FailureTarget", "Failed", "Complete", "Suspended"})
    if (api::condition_is_true(job, type)) return false;
  const long long active = api::active_pods(job);
  const long long left = api::completions_of(job) - api::succeeded_pods(job) - api::failed_pods(job);
  return left > active && active >= std::min<long long>(left, api::parallelism_of(job, 1));
}

std::chrono::seconds longest_grace(const std::vector<Json>& jobs) {
  std::chrono::seconds longest{0};
  for (const Json& job : jobs)
    longest = std::max(longest, std::chrono::seconds(api::grace_seconds_of(api::pod_template_of(job))));
  return longest;
}

}  // namespace

void wait_until_tasks_stop(kube::Client& client, const std::vector<Json>& jobs, const Interrupt& interrupt) {
  const auto start = SteadyClock::now();
  std::set<std::string> suspended;
  WaitOptions options;
  options.timeout = longest_grace(jobs) + kTimeToReport;
  options.on_look = [&](const Json& job) {
    if (SteadyClock::now() - start < kTimeToFail || !replaces_tasks(job)) return;
    if (suspended.insert(api::uid_of(job)).second) suspend(client, job);
  };
  options.on_pause = [] {
  };  // this is called each second, so the jobs are checked even if nothing has changed
  wait_for(client, jobs, options, interrupt, [](const Json&, const JobView&, bool) {});
}

}  // namespace kml::job
