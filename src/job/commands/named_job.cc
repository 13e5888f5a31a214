#include "job/commands/named_job.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "kml/base/agent.h"
#include "kml/base/text.h"
#include "kml/job/records/records.h"
#include "kml/job/submit/marks.h"
#include "kml/job/views/find.h"
#include "kml/job/views/job_view.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/names.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/resource.h"
#include "kml/sweep/journal/journal.h"
#include "kml/sweep/journal/record.h"

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

/// Whether kml has submitted a job with this name from this machine. If the server does not have that job, it
/// must have been deleted.
bool is_on_record(const Place& place, const std::string& name) {
  const auto may_be = [&](const job::Submission& run, std::string_view objects) {
    return run.context == place.context && contains(objects, "\"name\":\"" + name + "\"");
  };
  const std::vector<job::Submission> runs = job::Submissions::of_user().read_if(may_be);
  return std::any_of(runs.begin(), runs.end(), [&](const job::Submission& run) {
    const std::vector<const Json*> jobs = run.jobs();
    return std::any_of(jobs.begin(), jobs.end(), [&](const Json* job) {
      return api::name_of(*job) == name &&
             string_at(*job, {"metadata", "namespace"}, run.namespace_name) == place.namespace_name;
    });
  });
}

/// Whether this machine has a sweep with that name, and the command may show it.
bool is_shown_sweep(Context& context, const std::string& name) {
  const std::filesystem::path folder = sweep::sweep_folder(name);
  if (std::error_code ignored; !std::filesystem::exists(folder, ignored)) return false;
  if (!runs_for_agent()) return true;
  Json target;
  try {
    sweep::read_journal(folder, [&](const sweep::Record& record) {
      if (const auto* begun = std::get_if<sweep::record::Sweep>(&record.what)) target = begun->target;
    });
  } catch (const Error&) {  // the sweep exists even if its journal is damaged
  }
  return context.shows(target);
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

void explain_missing(Context& context, const std::string& name, Error& error) {
  if (error.reason != "NotFound" || !error.why.empty()) return;
  if (is_shown_sweep(context, name)) {
    error.why = name + " is a sweep";
    error.fix = "`kml sweep status " + name + "` shows it, `kml sweep logs " + name +
                "` prints the logs of its trials, `kml sweep stop " + name + "` stops it";
  } else if (is_on_record(context.place(), name)) {
    error.why = "it was deleted, but this machine still has its record";
    error.fix = "`kml history " + name + "` shows it, `kml rerun " + name + "` submits it again";
  }
}

job::JobOrTask named_job_or_task(Context& context, const std::string& name) try {
  return job::find_job_or_task(context.client(), context.place().namespace_name,
                               resolved_name(context, name));
} catch (Error& error) {
  explain_missing(context, name, error);
  throw;
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
