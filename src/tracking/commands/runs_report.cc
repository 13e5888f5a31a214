#include <map>
#include <memory>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/page_output.h"
#include "kml/job/attempts/attempts.h"
#include "kml/job/views/ownership.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/pipeline/engine/artifacts.h"
#include "kml/pipeline/engine/lineage.h"
#include "kml/pipeline/engine/runs.h"
#include "kml/pipeline/store/store.h"
#include "tracking/commands/chosen_runs.h"
#include "tracking/commands/tracked_runs.h"
#include "tracking/runs/run_facts.h"
#include "tracking/tables/runs_report.h"

namespace kml::cli {

namespace {

struct RunsReportOptions {
  std::vector<std::string> names;
  RunFilter filter;
  std::string file;
};

/// The attempts of submits. While a job exists, they come from the server, afterwards from the records.
class AttemptsOfRuns {
 public:
  explicit AttemptsOfRuns(Context& context) : context_(context) {
    for (job::Submission& run : records_.read()) runs_.emplace(run.id, std::move(run));
  }

  std::vector<job::Attempt> of(const std::string& run_id) {
    std::vector<job::Attempt> found;
    const auto run = runs_.find(run_id);
    if (run == runs_.end()) return found;
    for (const Json* job : run->second.jobs())
      for (job::Attempt& attempt : of(run->second, *job)) found.push_back(std::move(attempt));
    return found;
  }

 private:
  std::vector<job::Attempt> of(const job::Submission& run, const Json& job) {
    if (is_reachable_ && run.context == context_.place().context) try {
        kube::Client& client = context_.client();
        const std::string namespace_name = string_at(job, {"metadata", "namespace"}, run.namespace_name);
        const auto there = client.get_if_exists(client.kind_of(job), namespace_name, api::name_of(job));
        if (there && api::label_of(*there, api::kSubmitId) == run.id)
          return job::attempts_of(client, *there, records_);
      } catch (const Error& error) {
        context_.note("attempts of run " + run.id.substr(0, 8) + " could not be read: " + error.message);
        if (error.code == ErrorCode::unreachable) is_reachable_ = false;
      }
    return job::attempts_on_record(records_, run.id, job::job_key(job));
  }

  Context& context_;
  const job::Submissions records_ = job::Submissions::of_user();
  std::map<std::string, job::Submission> runs_;
  bool is_reachable_ = true;
};

Json artifacts_of_run(Context& context, const tracking::TrackedRun& run) {
  Json found = Json::array();
  if (run.kind != "pipeline") return found;
  const pipeline::LocalStore store = pipeline::local_store();
  try {
    const pipeline::RunState state = pipeline_of_run(run);
    for (const pipeline::Artifact& artifact : pipeline::artifacts_of(state))
      found.push_back(is_of_this_machine(run) ? pipeline::lineage_of(artifact, store)
                                              : pipeline::lineage_in(state, artifact, store));
  } catch (const Error& error) {
    context.note("artifacts of run " + run.name + " could not be read: " + error.message);
  }
  return found;
}

int run_runs_report(Context& context, const RunsReportOptions& options) {
  constexpr size_t kDefaultLimit = 50;
  std::vector<tracking::TrackedRun> runs =
      named_or_chosen_runs(context, options.names, options.filter, kDefaultLimit);
  if (runs.empty()) {
    context.note(options.filter.where.empty() ? "no runs yet" : "no matching runs");
    return 0;
  }
  tracking::add_facts_to_compare(runs);
  AttemptsOfRuns attempts(context);
  std::vector<ui::ReportedRun> reported;
  for (tracking::TrackedRun& run : runs) {
    tracking::MetricCourses courses = courses_of(context, run);
    std::vector<job::Attempt> made = attempts.of(run.id);
    Json artifacts = artifacts_of_run(context, run);
    reported.push_back({std::move(run), std::move(courses), std::move(made), std::move(artifacts)});
  }
  const std::string page = ui::runs_report_page(ui::runs_report_data(reported, system_clock().now()));
  write_page(context, options.file.empty() ? "runs.html" : options.file, page);
  return 0;
}

}  // namespace

Command runs_report_command() {
  auto options = std::make_shared<RunsReportOptions>();
  Command command{"report", "Write an HTML page that compares runs"};
  command.description =
      R"(The page is one HTML file that needs no network. The page has a table of the metrics and of the
properties that differ, a plot of each metric with the curves of all runs, the properties that are the same in all
runs, and for each run its parameters, its code with uncommitted changes, its artifacts with their lineage, and its
attempts. By default, the page shows the newest 50 runs. The page includes commands and variables, but no secrets.)";
  command.examples = R"(# Three runs
kml runs report bert bert2 bert3
# The ten best, into best.html
kml runs report --sort accuracy:desc --limit 10 -o best.html)";
  command.takes("RUN", options->names, "names or ids of runs", 0);
  add_run_filter(command, options->filter,
                 "Sort the runs in this order, the smallest first, or with \":desc\" the largest first.");
  command
      .option("--limit", "N", options->filter.limit,
              "at most N runs: the newest or, with --sort, the first [default: 50]", 1)
      .details(
          "Include only the N newest runs or, with --sort, the first N runs in that order. [default: 50]");
  command
      .option("-o,--output", "FILE", options->file,
              "where to write the page; - is standard output [default: runs.html]")
      .details("The file to write; \"-\" is standard output. [default: runs.html]");
  command.run = [options](Context& context) { return run_runs_report(context, *options); };
  return command;
}

}  // namespace kml::cli
