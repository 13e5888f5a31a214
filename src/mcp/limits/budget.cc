#include "mcp/limits/budget.h"

#include <fmt/format.h>

#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/kube/objects/object.h"

namespace kml::mcp {

namespace {

/// Because of rounding, a sum of planned hours may slightly exceed the limit.
constexpr double kRounding = 1e-9;

Error over(const char* flag, const std::string& limit, const std::string& text) {
  return usage_error(std::string("the plan would exceed ") + flag + " " + limit, text,
                     "plan a smaller job, or ask the user who started `kml mcp`");
}

Error without_limit(const job::PlanFile& plan) {
  const bool is_served = plan.command == "serve";
  return usage_error(is_served ? "a served program has no time limit" : "the job has no time limit",
                     "--max-gpu-hours cannot count its GPU hours",
                     is_served ? "serve it without GPUs, or ask the user who started `kml mcp`"
                               : "plan it with the argument time-limit");
}

}  // namespace

bool Spending::reserve(const job::PlanFile& plan) {
  if (plans_.contains(plan.id)) return false;
  if ((budget_.gpus || budget_.gpu_hours) && !plan.other_holders.empty())
    throw usage_error("the plan has parts whose GPUs kml cannot count: " + join(plan.other_holders, ", "));
  Use use;
  for (const job::PlannedJob& job : plan.jobs) use.gpus += job.gpus;
  const std::optional<double> hours = job::gpu_hours_of(plan);
  if (!hours && budget_.gpu_hours) throw without_limit(plan);
  use.gpu_hours = hours.value_or(0);
  if (budget_.gpus && gpus_ + use.gpus > *budget_.gpus)
    throw over("--max-gpus", std::to_string(*budget_.gpus),
               fmt::format("the plans so far have {} GPUs; this plan has {}", gpus_, use.gpus));
  if (budget_.gpu_hours && gpu_hours_ + use.gpu_hours > *budget_.gpu_hours + kRounding)
    throw over(
        "--max-gpu-hours", fmt::format("{:g}", *budget_.gpu_hours),
        fmt::format("the plans so far use {:g} GPU hours; this plan uses {:g}", gpu_hours_, use.gpu_hours));
  plans_[plan.id] = use;
  gpus_ += use.gpus;
  gpu_hours_ += use.gpu_hours;
  return true;
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
