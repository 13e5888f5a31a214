#include "cli/run_outcomes.h"

#include <algorithm>
#include <map>
#include <set>

#include "kml/api/labels.h"
#include "kml/api/object.h"
#include "kml/jobs/runs/tracked_run.h"
#include "kml/jobs/views/find.h"
#include "kml/jobs/views/kinds.h"
#include "kml/jobs/why/why.h"

namespace kml::cli {

namespace {

bool is_known(const jobs::Run& run) {
  for (const Json* job : run.jobs())
    if (!run.outcomes.contains(jobs::job_key(*job))) return false;
  return true;
}

/// The jobs of kml that still exist, by their run. Removes namespaces that cannot be listed.
std::map<std::string, std::vector<Json>> jobs_by_run(Context& context, std::set<std::string>& namespaces) {
  std::map<std::string, std::vector<Json>> by_run;
  for (const std::string& namespace_name : std::set<std::string>(namespaces)) try {
      for (Json& job : jobs::list_jobs(context.client(), namespace_name, "app.kubernetes.io/managed-by=kml"))
        by_run[api::label_of(job, api::kSubmitId)].push_back(std::move(job));
    } catch (const Error& error) {
      context.note("outcomes in namespace " + namespace_name + " could not be updated: " + error.message);
      namespaces.erase(namespace_name);
      if (error.code == ErrorCode::unreachable) {
        namespaces.clear();
        break;
      }
    }
  return by_run;
}

/// Completes the record of a run if kml ended in the middle of the submit, from the existing jobs. If none
/// exist, they may have been deleted since, so the record stays open.
void close(jobs::Run& run, const std::vector<Json>& there, const jobs::RunRecords& records) {
  if (there.empty()) return;
  std::vector<std::string> made;
  for (const Json& job : there) made.push_back(jobs::job_key(job));
  for (const Json& object : run.objects)
    if (!jobs::is_job(object)) made.push_back(jobs::job_key(object));
  records.add_sent(run.id, made);
  run.keep_made(made);
}

/// Does the same for a submit without jobs. Its objects are in no list of jobs, so each needs a request; runs
/// with many objects are skipped.
void close_without_jobs(Context& context, jobs::Run& run, const jobs::RunRecords& records) try {
  constexpr size_t kMost = 20;
  if (run.objects.size() > kMost) return;
  kube::Client& client = context.client();
  std::vector<std::string> made;
  for (const Json& object : run.objects) {
    const auto there =
        client.get_if_exists(client.kind_of(object), api::namespace_of(object), api::name_of(object));
    if (there && api::label_of(*there, api::kSubmitId) == run.id) made.push_back(jobs::job_key(object));
  }
  if (made.empty()) return;
  records.add_sent(run.id, made);
  run.keep_made(made);
} catch (const Error& error) {
  context.note("the outcome of run " + run.id.substr(0, 8) + " is unknown: " + error.message);
}

}  // namespace

void look_up_outcomes(Context& context, std::vector<jobs::Run>& runs) {
  std::set<std::string> namespaces;
  std::vector<jobs::Run*> open;
  for (jobs::Run& run : runs) {
    if (run.context != context.place().context) continue;
    if (run.is_open && run.jobs().empty()) close_without_jobs(context, run, jobs::RunRecords::of_user());
    if (is_known(run)) continue;
    open.push_back(&run);
    for (const Json* job : run.jobs())
      namespaces.insert(string_at(*job, {"metadata", "namespace"}, run.namespace_name));
  }
  std::map<std::string, std::vector<Json>> by_run = jobs_by_run(context, namespaces);
  jobs::RunRecords records = jobs::RunRecords::of_user();
  for (jobs::Run* run : open) {
    if (run->is_open) close(*run, by_run[run->id], records);
    for (const Json& job : by_run[run->id]) {
      jobs::JobView view = jobs::view_of_job(job);
      jobs::Outcome outcome{view.state, view.cause, view.finished};
      run->outcomes[jobs::job_key(job)] = outcome;
      if (has_ended(view.state)) records.add_outcome(run->id, jobs::job_key(job), outcome);
    }
  }
}

void record_metrics(Context& context, const std::vector<Json>& jobs) try {
  for (const Json& job : jobs) {
    const std::string id = api::label_of(job, api::kSubmitId);
    if (!id.empty()) jobs::RunRecords::of_user().add_metrics(id, jobs::metrics_of_job(context.client(), job));
  }
} catch (const Error&) {
  // The job has ended as it has; `kml runs` tries again while the log is there.
}

void look_up_metrics(Context& context, const std::vector<jobs::Run>& runs,
                     std::map<std::string, jobs::RunNotes>& notes) {
  std::set<std::string> namespaces;
  std::vector<const jobs::Run*> open;
  for (const jobs::Run& run : runs) {
    if (run.context != context.place().context || !is_known(run) || run.jobs().empty()) continue;
    if (const auto found = notes.find(run.id); found != notes.end() && found->second.metrics) continue;
    open.push_back(&run);
    for (const Json* job : run.jobs())
      namespaces.insert(string_at(*job, {"metadata", "namespace"}, run.namespace_name));
  }
  const std::map<std::string, std::vector<Json>> by_run = jobs_by_run(context, namespaces);
  const auto is_listed = [&](const jobs::Run& run) {
    return namespaces.contains(string_at(*run.jobs()[0], {"metadata", "namespace"}, run.namespace_name));
  };
  std::erase_if(open, [&](const jobs::Run* run) { return !is_listed(*run); });
  const jobs::RunRecords records = jobs::RunRecords::of_user();
  for (const jobs::Run* run : open) try {
      const auto there = by_run.find(run->id);
      jobs::RunMetrics metrics;
      if (there != by_run.end()) metrics = jobs::metrics_of_job(context.client(), there->second.front());
      records.add_metrics(run->id, metrics);
      notes[run->id].metrics = std::move(metrics);
    } catch (const Error& error) {
      context.note("the metrics of run " + run->id.substr(0, 8) + " could not be read: " + error.message);
      if (error.code == ErrorCode::unreachable) return;
    }
}

}  // namespace kml::cli
