#include "job/commands/applied_plan.h"

#include <algorithm>

#include "job/submit/idempotency.h"
#include "kml/job/records/records.h"
#include "kml/job/tables/job_tables.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::cli {

namespace {

/// The jobs that an earlier apply of the plan has created, if the server still has all of them.
std::vector<Json> jobs_there(Context& context, const job::PlanFile& plan) {
  std::vector<Json> jobs;
  for (const Json& object : plan.objects) {
    if (!job::is_job(object)) continue;
    const auto found = context.client().get_if_exists(context.client().kind_of(object),
                                                      api::namespace_of(object), api::name_of(object));
    if (!found || api::label_of(*found, job::kIdempotencyKey) != plan.id) return {};
    jobs.push_back(*found);
  }
  return jobs;
}

/// The objects of an earlier apply on this machine, whether or not they still exist.
std::vector<Json> objects_on_record(const job::PlanFile& plan) {
  const std::vector<job::Submission> runs =
      job::Submissions::of_user().read_if([&](const job::Submission&, std::string_view objects) {
        return objects.find(plan.id) != std::string_view::npos;
      });
  for (const job::Submission& run : runs) {
    if (run.is_open) continue;
    const std::vector<const Json*> jobs = run.jobs();
    const auto of_plan = std::count_if(jobs.begin(), jobs.end(), [&](const Json* job) {
      return api::label_of(*job, job::kIdempotencyKey) == plan.id;
    });
    if (of_plan > 0 && of_plan == std::count_if(plan.objects.begin(), plan.objects.end(), job::is_job))
      return run.objects;
  }
  return {};
}

}  // namespace

AppliedPlan applied_plan(Context& context, const job::PlanFile& plan) {
  if (std::vector<Json> jobs = jobs_there(context, plan); !jobs.empty()) {
    const std::string age = ui::age(api::created_at(jobs[0]), system_clock().now());
    return {std::move(jobs), age + " ago"};
  }
  return {objects_on_record(plan), "earlier, and its job has been deleted since"};
}

}  // namespace kml::cli
