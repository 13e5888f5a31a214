#include "job/commands/named_job.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "kml/job/submit/marks.h"
#include "kml/job/views/find.h"
#include "kml/job/views/job_view.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/names.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/resource.h"

namespace kml::cli {

namespace {

/// The user's newest job. Excludes jobs of other users and trials of sweeps.
std::optional<Json> newest_job_of_user(kube::Client& client, const std::string& namespace_name) {
  const std::string user = api::to_dns_label(job::user_name());
  std::vector<Json> jobs = job::list_jobs(client, namespace_name, std::string(api::kUser) + "=" + user);
  std::erase_if(jobs, [](const Json& job) { return !api::label_of(job, api::kTrial).empty(); });
  const auto newest = std::max_element(jobs.begin(), jobs.end(),
                                       [](const Json& a, const Json& b) { return job::is_older(a, b); });
  return newest == jobs.end() ? std::nullopt : std::optional(std::move(*newest));
}

}  // namespace

std::string resolved_name(Context& context, const std::string& name) {
  if (name != "@") return name;
  const std::string& namespace_name = context.place().namespace_name;
  const std::optional<Json> job = newest_job_of_user(context.client(), namespace_name);
  if (!job) {
    Error error(ErrorCode::failure, "you have no job in namespace " + namespace_name,
                "@ means the newest job that you submitted with kml, not counting trials of sweeps",
                "`kml list` shows the jobs there");
    error.reason = "NotFound";
    throw error;
  }
  const api::ResourceKind* kind = api::kind_of(*job);
  return std::string(kind ? kind->singular : "job") + "/" + api::name_of(*job);
}

job::JobOrTask named_job_or_task(Context& context, const std::string& name) {
  return job::find_job_or_task(context.client(), context.place().namespace_name,
                               resolved_name(context, name));
}

std::unique_ptr<kube::Client::AskedAhead> ask_ahead_about(
    Context& context, const std::vector<std::string>& names,
    const std::function<kube::ListOptions(const std::string&)>& events) {
  const std::string& where = context.place().namespace_name;
  std::vector<http::Request> requests;
  for (const std::string& name : names) {
    if (name == "@") continue;
    std::vector<http::Request> own = job::requests_about_job(where, name);
    std::move(own.begin(), own.end(), std::back_inserter(requests));
    if (events)
      requests.push_back(
          kube::list_request(*api::find_kind("v1", "Event"), where, events(name.substr(name.find('/') + 1))));
  }
  return context.client().ask_ahead(std::move(requests));
}

void refuse_task(const job::JobOrTask& named, const std::string& verb) {
  if (!named.task) return;
  const std::string job = api::name_of(named.job);
  throw usage_error(named.name() + " is a task of job " + job,
                    "a task is a part of its job: `kml " + verb + "` works only on the whole job",
                    "kml " + verb + " " + job);
}

}  // namespace kml::cli
