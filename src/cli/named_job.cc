#include "cli/named_job.h"

#include "kml/api/labels.h"
#include "kml/api/names.h"
#include "kml/api/object.h"
#include "kml/api/resource.h"
#include "kml/jobs/records/records.h"
#include "kml/jobs/submit/marks.h"
#include "kml/jobs/views/find.h"

namespace kml::cli {

namespace {

/// If several jobs were created in the same second, the one that this machine submitted last, according to
/// its records.
const Json& last_submitted(const std::vector<Json>& jobs) {
  if (jobs.size() > 1) {
    const std::vector<jobs::Run> runs = jobs::RunRecords::of_user().read();
    for (auto run = runs.rbegin(); run != runs.rend(); ++run)
      for (auto job = jobs.rbegin(); job != jobs.rend(); ++job)
        if (api::label_of(*job, api::kSubmitId) == run->id) return *job;
  }
  return jobs.back();
}

/// Excludes jobs of other users and trials of sweeps.
std::vector<Json> newest_jobs_of_user(kube::Client& client, const std::string& namespace_name) {
  const std::string user = api::to_dns_label(jobs::user_name());
  std::vector<Json> newest;
  for (Json& job : jobs::list_jobs(client, namespace_name, std::string(api::kUser) + "=" + user)) {
    if (!api::label_of(job, api::kTrial).empty()) continue;
    const auto created = api::created_at(job);
    const auto latest = newest.empty() ? created : api::created_at(newest[0]);
    if (created < latest) continue;
    if (created > latest) newest.clear();
    newest.push_back(std::move(job));
  }
  return newest;
}

}  // namespace

std::string resolved_name(Context& context, const std::string& name) {
  if (name != "@") return name;
  const std::string& namespace_name = context.place().namespace_name;
  const std::vector<Json> newest = newest_jobs_of_user(context.client(), namespace_name);
  if (newest.empty()) {
    Error error(ErrorCode::failure, "you have no job in namespace " + namespace_name,
                "@ means the newest job that you submitted with kml, not counting trials of sweeps",
                "`kml list` shows the jobs there");
    error.reason = "NotFound";
    throw error;
  }
  const Json& job = last_submitted(newest);
  const api::ResourceKind* kind = api::kind_of(job);
  return std::string(kind ? kind->singular : "job") + "/" + api::name_of(job);
}

jobs::JobOrTask named_job_or_task(Context& context, const std::string& name) {
  return jobs::find_job_or_task(context.client(), context.place().namespace_name,
                                resolved_name(context, name));
}

void refuse_task(const jobs::JobOrTask& named, const std::string& verb) {
  if (!named.task) return;
  const std::string job = api::name_of(named.job);
  throw usage_error(named.name() + " is a task of job " + job,
                    "a task is a part of its job: `kml " + verb + "` takes only the whole job",
                    "kml " + verb + " " + job);
}

}  // namespace kml::cli
