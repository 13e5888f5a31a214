#include "job/commands/job_selection.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <utility>

#include "cli/confirm.h"
#include "cli/name_pattern.h"
#include "job/commands/list_kind.h"
#include "kml/base/flag_errors.h"
#include "kml/base/text.h"
#include "kml/job/capacity/workloads.h"
#include "kml/job/views/find.h"
#include "kml/job/views/job_view.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::cli {

void add_job_selection(Command& command, JobSelection& selection) {
  command.takes("JOB", selection.names, "names of jobs, or patterns such as 'exp-*'; @ is your newest job",
                0);
  add_job_filter(command, selection.filter);
  command.flag("--all", selection.all, "all jobs in the namespace")
      .after("--state")
      .details("Select all jobs in the namespace.");
}

namespace {

using Applies = std::function<bool(const Json& job, job::State state)>;

/// The namespace's jobs that meet the conditions, oldest first or in the order of --sort.
std::vector<Json> matching_jobs(Context& context, const JobFilter& filter, const Applies& applies) {
  struct Candidate {
    Json object;
    job::JobView view;
  };
  kube::Client& client = context.client();
  const std::string& namespace_name = context.place().namespace_name;
  std::vector<Json> objects = job::list_jobs(client, namespace_name, filter.selector);
  // Whether a job is running, and for how long, is only known from its pods.
  const bool needs_pods = !filter.states.empty() || !filter.sort.empty();
  const job::PodsByJob pods =
      needs_pods ? job::list_pods(client, namespace_name) : job::PodsByJob(std::vector<Json>());
  const job::Workloads workloads = job::read_workloads(client, namespace_name, objects);
  std::vector<Candidate> found;
  for (Json& job : objects) {
    const Json* workload = workloads.of(job);
    if (applies && !applies(job, job::state_of(job, false, workload))) continue;
    job::JobView view = job::basic_view_of_job(job, pods.of(job));
    view.state = job::state_of(job, view.is_at_work, workload);
    found.push_back({std::move(job), std::move(view)});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Candidate& a, const Candidate& b) { return job::is_older(a.view, b.view); });
  filter.apply(found, true, system_clock().now(),
               [](const Candidate& job) -> const job::JobView& { return job.view; });
  std::vector<Json> kept;
  for (Candidate& job : found) kept.push_back(std::move(job.object));
  return kept;
}

/// The jobs whose names match one of the patterns, oldest first. Throws Error if no job matches a pattern.
std::vector<Json> fitting_jobs(Context& context, const std::vector<std::string>& patterns,
                               const Applies& applies) {
  if (patterns.empty()) return {};
  std::set<std::string> fitting_none(patterns.begin(), patterns.end());
  std::vector<Json> jobs = matching_jobs(context, {}, [&](const Json& job, job::State state) {
    bool fits = false;
    for (const std::string& pattern : patterns) {
      if (!fits_pattern(api::name_of(job), pattern)) continue;
      fitting_none.erase(pattern);
      fits = true;
    }
    return fits && (!applies || applies(job, state));
  });
  if (fitting_none.empty()) return jobs;
  throw unmatched_pattern(*fitting_none.begin(), context.place().namespace_name);
}

/// Adds the job or task, unless a name or a pattern has selected it before.
void select_once(std::vector<job::JobOrTask>& found, job::JobOrTask named) {
  if (std::none_of(found.begin(), found.end(), [&](const job::JobOrTask& other) {
        return other.task == named.task && api::uid_of(other.job) == api::uid_of(named.job);
      }))
    found.push_back(std::move(named));
}

/// Throws a single Error for all names that no job has.
std::vector<job::JobOrTask> named_jobs(Context& context, const std::vector<std::string>& names) {
  std::vector<job::JobOrTask> found;
  std::vector<std::string> missing;
  std::optional<Error> first;
  for (const std::string& name : names) try {
      select_once(found, named_job_or_task(context, name));
    } catch (const Error& error) {
      if (error.reason != "NotFound") throw;
      missing.push_back("\"" + name + "\"");
      if (!first) first = error;
    }
  if (missing.size() > 1)
    first->message = "no jobs " + join(missing, ", ") + " in namespace " + context.place().namespace_name;
  if (first) throw *first;
  return found;
}

std::vector<job::JobOrTask> select(Context& context, const JobSelection& selection, const Applies& applies) {
  const bool by_name = !selection.names.empty();
  const bool by_list = selection.all || selection.filter.is_set();
  if (by_name && by_list)
    throw not_together("JOB", "a flag that selects jobs", "",
                       "name the jobs, or use only flags that select them");
  if (!by_name && !by_list)
    throw missing_argument("JOB", "",
                           "name the jobs (@ is the newest), or select them by " + selection.flags);
  if (by_name && (selection.filter.limit || !selection.filter.sort.empty()))
    throw not_together("--limit and --sort", "JOB");
  std::vector<job::JobOrTask> found;
  if (by_list)
    for (Json& job : matching_jobs(context, selection.filter, applies)) found.push_back({std::move(job)});
  std::vector<std::string> names = selection.names, patterns;
  std::copy_if(names.begin(), names.end(), std::back_inserter(patterns), is_name_pattern);
  std::erase_if(names, is_name_pattern);
  for (job::JobOrTask& named : named_jobs(context, names)) found.push_back(std::move(named));
  for (Json& job : fitting_jobs(context, patterns, applies)) select_once(found, {std::move(job)});
  return found;
}

}  // namespace

std::vector<job::JobOrTask> selected_jobs_and_tasks(Context& context, const JobSelection& selection) {
  return select(context, selection, {});
}

std::vector<Json> selected_jobs(Context& context, const JobSelection& selection, const std::string& verb) {
  std::vector<Json> found;
  for (job::JobOrTask& named : select(context, selection, {})) {
    refuse_task(named, verb);
    found.push_back(std::move(named.job));
  }
  return found;
}

namespace {

struct ActionOptions {
  JobSelection selection;
  bool yes = false, dry_run = false;
};

/// Returns "deleted" for "delete".
std::string participle(const std::string& verb) {
  if (verb == "cancel") return "cancelled";
  return verb + (verb.ends_with('e') ? "d" : "ed");
}

/// Looks up all jobs before any is changed, so that a wrong name has no effect.
std::vector<job::JobOrTask> jobs_to_touch(Context& context, const JobSelection& selection,
                                          const JobAction& action, const std::string& verb) {
  try {
    std::vector<job::JobOrTask> found = select(context, selection, action.applies);
    if (!action.act_on_task)
      for (const job::JobOrTask& named : found) refuse_task(named, verb);
    return found;
  } catch (Error& error) {
    if (error.reason == "NotFound" && selection.names.size() > 1)
      error.message += "; nothing was " + participle(verb);
    throw;
  }
}

std::string names_in_brief(const std::vector<job::JobOrTask>& jobs) {
  std::vector<std::string> names;
  for (const job::JobOrTask& job : jobs) names.push_back(job.name());
  return some_of(names, 5);
}

/// Asks before a command changes many jobs. Throws Error if the answer is not yes, or if there is no terminal
/// to ask on.
void confirm(Context& context, const std::vector<job::JobOrTask>& jobs, const ActionOptions& options,
             bool asks_for_all, const std::string& verb) {
  constexpr size_t kMostUnasked = 10;
  const bool is_risky = jobs.size() > kMostUnasked || (asks_for_all && options.selection.all);
  if (options.yes || jobs.empty() || !is_risky) return;
  const std::string count = std::to_string(jobs.size()) + (jobs.size() == 1 ? " job" : " jobs");
  if (!asks_on(context.streams()))
    throw usage_error("confirmation needed: " + count + " would be " + participle(verb),
                      "standard input or standard error is not a terminal, so kml cannot ask",
                      "add --yes to " + verb + " them, or --dry-run to list them");
  if (!confirmed(context.streams(), verb + " " + count + " in namespace " + context.place().namespace_name +
                                        " (" + names_in_brief(jobs) + ")?"))
    throw Error(ErrorCode::failure, "nothing was " + participle(verb), "you did not confirm");
}

std::vector<Json> jobs_without_tasks(const std::vector<job::JobOrTask>& named) {
  std::vector<Json> jobs;
  for (const job::JobOrTask& each : named)
    if (!each.task) jobs.push_back(each.job);
  return jobs;
}

int tell_what_would_change(Context& context, const std::vector<job::JobOrTask>& jobs, const JobAction& action,
                           const std::string& verb) {
  const job::Workloads workloads =
      job::read_workloads(context.client(), context.place().namespace_name, jobs_without_tasks(jobs));
  for (const job::JobOrTask& named : jobs) {
    const bool applies = action.applies(named.job, job::state_of(named.job, false, workloads.of(named.job)));
    context.streams().out << (named.task ? "task " : "job ") << named.name()
                          << (applies ? " would be " + participle(verb) : " would not change") << std::endl;
  }
  return 0;
}

/// Puts jobs that wait for other jobs (--after) first. Of these, the newest comes first, because it may wait
/// for an older one. In any other order, the end of a job could start a job that is about to be cancelled.
void put_waiting_first(std::vector<job::JobOrTask>& jobs) {
  const auto others = std::stable_partition(jobs.begin(), jobs.end(), [](const job::JobOrTask& each) {
    return !api::annotation_of(each.job, api::kAfter).empty();
  });
  std::stable_sort(jobs.begin(), others, [](const job::JobOrTask& a, const job::JobOrTask& b) {
    return job::is_older(b.job, a.job);
  });
}

int act_on_jobs(Context& context, const ActionOptions& options, const JobAction& action,
                const std::string& verb) {
  std::vector<job::JobOrTask> jobs = jobs_to_touch(context, options.selection, action, verb);
  put_waiting_first(jobs);
  if (jobs.empty()) context.note("no jobs to " + verb + " in namespace " + context.place().namespace_name);
  if (options.dry_run) return tell_what_would_change(context, jobs, action, verb);
  confirm(context, jobs, options, action.asks_for_all, verb);
  if (action.prepare) action.prepare(context, jobs_without_tasks(jobs));
  std::ostream& out = context.streams().out;
  for (const job::JobOrTask& named : jobs)
    out << (named.task ? action.act_on_task(context, named) : action.act(context, named.job)) << std::endl;
  if (action.finish) action.finish(context, jobs_without_tasks(jobs));
  return 0;
}

}  // namespace

Command command_for_each_job(std::string name, std::string summary, JobAction action) {
  auto options = std::make_shared<ActionOptions>();
  Command command{std::move(name), std::move(summary)};
  add_job_selection(command, options->selection);
  command.options_under("Confirmation");
  command.flag("--dry-run", options->dry_run, "only list the jobs that would be changed")
      .details("List the jobs that would be changed, and change nothing.");
  command.flag("-y,--yes", options->yes, "do not ask for confirmation")
      .details("Do not ask for confirmation, however many jobs are selected.");
  command.run = [options, verb = command.name, action = std::move(action)](Context& context) {
    return act_on_jobs(context, *options, action, verb);
  };
  return command;
}

}  // namespace kml::cli
