#include "mcp/limits/budget.h"

#include <fmt/format.h>

#include <algorithm>

#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/job/views/job_view.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/object.h"

namespace kml::mcp {

namespace {

/// Because of rounding, a sum of planned hours may slightly exceed the limit.
constexpr double kRounding = 1e-9;

Error over(const std::string& user, const char* flag, const std::string& limit, const std::string& text) {
  return usage_error(user + " would exceed " + flag + " " + limit, text,
                     "plan a smaller job, or ask the user who started `kml mcp`");
}

Error without_limit(const std::vector<job::PlannedJob>& jobs, bool is_served) {
  for (const job::PlannedJob& job : jobs)
    if (job.no_limit)
      return usage_error(lower(job.kind) + " " + job.name + " has no limit for its GPU hours",
                         job.no_limit->why, job.no_limit->fix);
  return usage_error(is_served ? "a served program has no time limit" : "the job has no time limit",
                     "--max-gpu-hours cannot count its GPU hours",
                     is_served ? "serve it without GPUs, or ask the user who started `kml mcp`"
                               : "plan it with the argument time-limit");
}

/// Whether the job is one that `kml resume` starts again.
bool is_resumable(const Json& job) {
  const job::State state = job::state_of(job, false);
  return !job::has_ended(state) && (api::is_suspended(job) || state == job::State::suspended);
}

}  // namespace

void Spending::add(const Use& use, const std::string& user) {
  if (budget_.gpus && gpus_ + use.gpus > *budget_.gpus)
    throw over(user, "--max-gpus", std::to_string(*budget_.gpus),
               fmt::format("{} GPUs are counted so far; {} needs {}", gpus_, user, use.gpus));
  if (budget_.gpu_hours && gpu_hours_ + use.gpu_hours > *budget_.gpu_hours + kRounding)
    throw over(
        user, "--max-gpu-hours", fmt::format("{:g}", *budget_.gpu_hours),
        fmt::format("{:g} GPU hours are counted so far; {} could use {:g}", gpu_hours_, user, use.gpu_hours));
  gpus_ += use.gpus;
  gpu_hours_ += use.gpu_hours;
}

bool Spending::reserve(const job::PlanFile& plan) {
  if (plans_.contains(plan.id)) return false;
  if ((budget_.gpus || budget_.gpu_hours) && !plan.other_holders.empty())
    throw usage_error("the plan has parts whose GPUs kml cannot count: " + join(plan.other_holders, ", "));
  Use use;
  for (const job::PlannedJob& job : plan.jobs) use.gpus += job.gpus;
  const std::optional<double> hours = job::gpu_hours_of(plan);
  if (!hours && budget_.gpu_hours) throw without_limit(plan.jobs, plan.command == "serve");
  use.gpu_hours = hours.value_or(0);
  add(use, "the plan");
  plans_[plan.id] = use;
  return true;
}

bool Spending::must_know_queues(const job::PlanFile& plan) const {
  return budget_.gpu_hours && !plans_.contains(plan.id) && plan.server != "local" &&
         std::ranges::any_of(plan.jobs,
                             [](const job::PlannedJob& job) { return job.gpus > 0 && !job.spans_queues; });
}

void Spending::reserve_again(const std::vector<Json>& jobs,
                             const std::function<bool(const Json& job)>& is_own) {
  Use use;
  std::set<std::string> others;
  for (const Json& job : jobs) {
    if (!is_resumable(job)) continue;
    if (const auto holders = job::other_holders({job});
        !holders.empty() && (budget_.gpus || budget_.gpu_hours))
      throw usage_error("kml cannot count the GPUs of " + join(holders, ", "));
    for (const job::PlannedJob& planned : job::planned_jobs({job})) {
      if (!planned.gpu_hours && budget_.gpu_hours) throw without_limit({planned}, false);
      use.gpu_hours += planned.gpu_hours.value_or(0);
      const bool is_counted = is_own(job) || resumed_.contains(api::uid_of(job));
      if (!is_counted && others.insert(api::uid_of(job)).second) use.gpus += planned.gpus;
    }
  }
  add(use, jobs.size() == 1 ? "the resumed job" : "the resumed jobs");
  resumed_.merge(others);
}

void Spending::release(const std::string& id) {
  const auto found = plans_.find(id);
  if (found == plans_.end()) return;
  gpus_ -= found->second.gpus;
  gpu_hours_ -= found->second.gpu_hours;
  plans_.erase(found);
}

std::vector<Json> objects_in(const Json& printed) {
  if (api::kind_name(printed) != "List") return {printed};
  std::vector<Json> objects;
  for (const Json& item : array_at(printed, {"items"})) objects.push_back(item);
  return objects;
}

void OwnWork::add(const Json& objects) {
  for (const Json& object : objects_in(objects))
    if (const std::string uid = api::uid_of(object); !uid.empty()) uids_.insert(uid);
}

}  // namespace kml::mcp
