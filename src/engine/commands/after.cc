#include "engine/commands/after.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/in_cluster/due_start.h"
#include "kml/base/flag_errors.h"
#include "kml/base/text.h"
#include "kml/engine/watching/owned_objects.h"
#include "kml/job/control/control.h"
#include "kml/job/control/wait.h"
#include "kml/job/views/find.h"
#include "kml/job/views/kinds.h"
#include "kml/job/views/task.h"
#include "kml/kube/objects/dependency.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::cli {

namespace {

using When = api::Dependency::When;

struct Awaited {
  Json job;
  When when;
};

/// The words that other tools, such as Slurm, use for "any" and "failed".
constexpr std::pair<std::string_view, When> kSynonyms[] = {
    {"any", When::any},      {"always", When::any},       {"done", When::any},       {"end", When::any},
    {"ended", When::any},    {"finished", When::any},     {"afterany", When::any},   {"failed", When::failed},
    {"fail", When::failed},  {"fails", When::failed},     {"failure", When::failed}, {"error", When::failed},
    {"notok", When::failed}, {"afternotok", When::failed}};

/// How the awaited job must end, if the user has typed a wrong word. Most wrong words, such as "success",
/// mean that it must succeed.
When meant_by(const std::string& word) {
  std::vector<std::string> words;
  for (const auto& [known, when] : kSynonyms) words.emplace_back(known);
  const std::optional<std::string> near = nearest(lower(word), words);
  const auto found =
      std::ranges::find_if(kSynonyms, [&](const auto& one) { return near && one.first == *near; });
  return found == std::end(kSynonyms) ? When::ok : found->second;
}

/// Slurm writes the condition before the job: "afterok:bert".
bool is_slurm_word(const std::string& word) {
  return word == "afterok" || word == "afterany" || word == "afternotok";
}

[[noreturn]] void refuse_task_of(const std::string& job, const std::string& task, const std::string& text) {
  throw usage_error(task + " is a task of job " + job, "--after waits for whole jobs",
                    "--after " + job + text.substr(task.size()));
}

Awaited find_awaited(Context& context, const std::string& text) {
  const size_t colon = text.rfind(':');
  const auto when = colon == std::string::npos ? When::ok : api::when_of(text.substr(colon + 1));
  if (!when) {
    std::string name = text.substr(0, colon), word = text.substr(colon + 1);
    if (is_slurm_word(name)) std::swap(name, word);
    throw invalid_value(text, "--after", "JOB, JOB:ok, JOB:any or JOB:failed",
                        "--after " + name + ":" + std::string(api::name_of(meant_by(word))));
  }
  const std::string name = text.substr(0, colon);
  job::JobOrTask found = job::find_job_or_task(context.client(), context.place().namespace_name, name);
  if (found.task) refuse_task_of(api::name_of(found.job), name, text);
  return {std::move(found.job), *when};
}

/// How the awaited job must end, in words for messages.
std::string_view end_in_words(When when) {
  return when == When::ok ? "succeeded" : when == When::failed ? "failed" : "ended";
}

void refuse_end(const job::JobView& view, When when) {
  const bool is_well = view.state == job::State::succeeded;
  if (when == When::any || (when == When::ok) == is_well) return;
  throw Error(ErrorCode::job_failed, "nothing was submitted",
              "the new job should start once " + view.name + " has " + std::string(end_in_words(when)) +
                  ", but that job " +
                  (view.state == job::State::cancelled ? "was cancelled"
                   : is_well                           ? "succeeded"
                                                       : "failed"),
              "leave out --after, or write --after " + view.name + ":any");
}

/// Suspends the jobs and adds annotations that name the jobs they wait for.
void let_jobs_wait(job::SubmitPlan& plan, const std::vector<Awaited>& awaited) {
  std::vector<api::Dependency> dependencies;
  for (const auto& [job, when] : awaited)
    dependencies.push_back({when, api::kind_name(job), api::name_of(job), api::uid_of(job), {}});
  for (Json& object : plan.objects) {
    if (!job::is_job(object)) continue;
    api::set_annotation(object, api::kAfter, api::text_of(dependencies));
    api::set_suspended(object, true);
  }
}

void wait_here(Context& context, const std::vector<Awaited>& awaited) {
  std::vector<Json> jobs;
  std::vector<std::string> names;
  for (const Awaited& one : awaited) {
    jobs.push_back(one.job);
    names.push_back(api::name_of(one.job));
  }
  context.note("waiting for " + join(names, ", ") +
               " before submitting the job; with --in-cluster, a pod in the cluster waits instead");
  job::Interrupt interrupt;
  job::wait_for(context.client(), jobs, {}, interrupt, [&](const Json& job, const job::JobView& view, bool) {
    for (const Awaited& one : awaited)
      if (api::uid_of(one.job) == api::uid_of(job)) refuse_end(view, one.when);
  });
}

void check_flags(Context& context, const AfterFlags& flags) {
  if (flags.waiter.in_cluster && flags.jobs.empty())
    throw usage_error("--in-cluster needs --after",
                      "with --in-cluster, a pod in the cluster waits for the job that --after names");
  if (flags.waiter.in_cluster && context.place().is_local)
    throw usage_error(
        "--in-cluster needs a cluster, but the target is this machine",
        "without --in-cluster, the embedded server already waits for the job that --after names",
        "leave out --in-cluster");
  if (!flags.waiter.in_cluster && (!flags.waiter.image.empty() || !flags.waiter.account.empty()))
    throw usage_error("--engine-image and --engine-account need --in-cluster");
  if (flags.waiter.in_cluster) engine_options_without_journal(flags.waiter);
}

bool can_be_started_later(const Json& job) {
  return job::is_plain_job(job) || api::kind_name(job) == "PyTorchJob";
}

/// Only Jobs and PyTorchJobs outside of queues can wait: Kueue itself starts the jobs in its queues, and
/// other kinds start and end in different ways.
void refuse_other_jobs(const job::SubmitPlan& plan, const std::vector<Awaited>& awaited) {
  constexpr const char* kFix =
      "leave out --in-cluster: kml then waits for the other jobs before it submits this one";
  std::vector<const Json*> all;
  for (const Json& object : plan.objects)
    if (job::is_job(object)) all.push_back(&object);
  for (const Json* job : all)
    if (!api::label_of(*job, api::kKueueQueue).empty())
      throw not_together("--in-cluster", "--queue",
                         "Kueue would start the job without waiting for the other jobs", kFix);
  for (const Awaited& one : awaited) all.push_back(&one.job);
  for (const Json* job : all)
    if (!can_be_started_later(*job))
      throw usage_error("--in-cluster supports only Job and PyTorchJob",
                        api::name_of(*job) + " is of kind " + api::kind_name(*job), kFix);
}

void start_waiter(Context& context, const Json& job, const engine::EngineOptions& options) {
  const engine::EngineMarks marks = engine::due_marks(job);
  for (const Json& object : engine::engine_objects(marks, options, engine::due_program(job)))
    engine::make_owned(context.client(), marks, job, object);
  context.note("you can shut this machine down: job " + engine::engine_name(marks.name) +
               " waits for the other jobs, and then starts " + marks.name);
}

}  // namespace

void come_after(Context& context, job::SubmitPlan& plan, const AfterFlags& flags) {
  check_flags(context, flags);
  if (flags.jobs.empty()) return;
  std::vector<Awaited> awaited;
  for (const std::string& text : flags.jobs) awaited.push_back(find_awaited(context, text));
  for (const auto& [job, when] : awaited)
    if (const job::JobView view = job::basic_view_of_job(job); job::has_ended(view.state))
      refuse_end(view, when);
  if (flags.waiter.in_cluster) refuse_other_jobs(plan, awaited);
  if (context.place().is_local || flags.waiter.in_cluster)
    let_jobs_wait(plan, awaited);
  else
    wait_here(context, awaited);
}

void start_waiters(Context& context, const std::vector<Json>& made, const AfterFlags& flags) {
  if (!flags.waiter.in_cluster) return;
  const engine::EngineOptions options = engine_options_without_journal(flags.waiter);
  std::vector<Json> waiting;
  std::ranges::copy_if(made, std::back_inserter(waiting), [](const Json& object) {
    return job::is_job(object) && !api::dependencies_of(object).empty();
  });
  for (auto job = waiting.begin(); job != waiting.end(); ++job) try {
      start_waiter(context, *job, options);
    } catch (Error& error) {
      const std::string name = api::name_of(*job);
      // Without a waiter, nothing would ever start these jobs.
      for (; job != waiting.end(); ++job) job::remove(context.client(), *job);
      if (error.http_status == 403 && !contains(message_and_why(error), "exceeded quota"))
        error.fix =
            "pass --engine-account NAME: an account that may get, list and watch jobs, and patch " + name;
      throw;
    }
}

}  // namespace kml::cli
