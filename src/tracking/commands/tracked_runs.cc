#include "tracking/commands/tracked_runs.h"

#include <algorithm>

#include "job/commands/submission_outcomes.h"
#include "kml/base/agent.h"
#include "kml/base/suggestion.h"
#include "kml/base/text.h"
#include "kml/job/logs/metric_line.h"
#include "kml/job/records/records.h"
#include "kml/pipeline/engine/runs.h"
#include "sweep/commands/sweep_selection.h"
#include "tracking/commands/engine_records.h"
#include "tracking/runs/engine_records.h"

namespace kml::cli {

namespace {

/// If a journal is broken, prints a note and continues with the other runs.
template <typename Run, typename Read>
void add_or_note(Context& context, const std::string& name, std::vector<Run>& found, const Read& read) {
  try {
    found.push_back(read());
  } catch (const Error& error) {
    context.note(name + ": " + error.message);
  }
}

/// The state of a run or sweep that has not ended, but which no engine runs: see `kml run resume`.
constexpr const char* kInterrupted = "Interrupted";

tracking::TrackedRun shown_sweep(Context& context, const std::string& name, const job::RunNotes& notes) {
  const sweep::SweepState state = state_of(context, name);
  tracking::TrackedRun run = tracking::tracked_sweep(state, notes);
  if (is_left(name, state)) run.state = kInterrupted;
  return run;
}

/// Reads all runs first, because a run may have results of another run.
void add_pipelines(Context& context, std::vector<tracking::TrackedRun>& found,
                   std::map<std::string, job::RunNotes>& notes) {
  std::vector<pipeline::RunState> runs;
  tracking::PartsByKey parts;
  for (const std::string& name : pipeline::run_names())
    add_or_note(context, "run " + name, runs, [&] { return pipeline::read_run(name); });
  for (const pipeline::RunState& run : runs)
    for (const auto& [name, step] : run.steps())
      if (!step.parts.empty()) parts.emplace(step.key, step.parts);
  for (const pipeline::RunState& run : runs) {
    if (!context.shows(run.head().target)) continue;
    found.push_back(tracking::tracked_pipeline(run, notes["run/" + run.name()], parts, notes[run.id()]));
    if (pipeline::is_left(run)) found.back().state = kInterrupted;
  }
}

std::vector<tracking::TrackedRun> tracked(Context& context, const std::vector<job::Submission>& submits,
                                          std::map<std::string, job::RunNotes>& notes) {
  std::vector<tracking::TrackedRun> found;
  for (const job::Submission& run : submits)
    if (!run.jobs().empty() && !tracking::is_maintenance(run) &&
        context.shows(run.context, run.namespace_name))
      found.push_back(tracking::tracked_submit(run, notes[run.id]));
  for (const std::string& name : shown_sweeps(context))
    add_or_note(context, "sweep " + name, found,
                [&] { return shown_sweep(context, name, notes["sweep/" + name]); });
  add_pipelines(context, found, notes);
  for (const tracking::EngineRecord& record : tracking::EngineRecords::of_user().read_all())
    if (context.shows(record.context, record.namespace_name))
      add_or_note(context, record.kind + " " + record.name, found,
                  [&] { return tracking::tracked_engine(record, notes[record.id]); });
  return found;
}

/// The newest submits of the user, oldest first. More records are read if some are of kml's own jobs.
std::vector<job::Submission> newest_runs(const job::Submissions& records, size_t newest) {
  for (size_t count = newest;; count *= 2) {
    std::vector<job::Submission> submits = records.read(count);
    const bool are_all = submits.size() < count;
    std::erase_if(submits, tracking::is_maintenance);
    if (submits.size() < newest && !are_all) continue;
    if (submits.size() > newest)
      submits.erase(submits.begin(), submits.end() - static_cast<std::ptrdiff_t>(newest));
    return submits;
  }
}

}  // namespace

std::vector<tracking::TrackedRun> tracked_runs(Context& context, size_t newest) {
  look_up_engines(context);
  const job::Submissions records = job::Submissions::of_user();
  std::map<std::string, job::RunNotes> notes = records.notes();
  // For an agent, the newest records may all be of other targets.
  std::vector<job::Submission> submits =
      newest_runs(records, runs_for_agent() ? std::numeric_limits<size_t>::max() : newest);
  look_up_outcomes_and_metrics(context, submits, notes);
  return tracked(context, submits, notes);
}

std::vector<tracking::TrackedRun> tracked_runs_if(Context& context, const MayBeWanted& may_be_wanted) {
  look_up_engines(context);
  const job::Submissions records = job::Submissions::of_user();
  std::map<std::string, job::RunNotes> notes = records.notes();
  const job::RunNotes none;
  const auto is_wanted = [&](const job::Submission& run, std::string_view objects) {
    const auto known = notes.find(run.id);
    const job::RunNotes& own = known == notes.end() ? none : known->second;
    // Metrics are recorded once the run's jobs have ended. Before that, the run's state may change.
    const bool is_to_be_looked_up = !own.metrics && run.context == context.place().context;
    return is_to_be_looked_up || may_be_wanted(tracking::outline_of_submit(run, own), objects);
  };
  std::vector<job::Submission> submits = records.read_if(is_wanted);
  look_up_outcomes_and_metrics(context, submits, notes);
  return tracked(context, submits, notes);
}

std::vector<tracking::TrackedRun> recorded_runs(Context& context) {
  const job::Submissions records = job::Submissions::of_user();
  std::map<std::string, job::RunNotes> notes = records.notes();
  return tracked(context, records.read(), notes);
}

const tracking::TrackedRun& run_named(const std::vector<tracking::TrackedRun>& runs,
                                      const std::string& name) {
  if (name == "@" && !runs.empty())
    return *std::max_element(runs.begin(), runs.end(),
                             [](const auto& a, const auto& b) { return a.time < b.time; });
  const tracking::TrackedRun* newest = nullptr;
  std::vector<const tracking::TrackedRun*> by_id;
  std::vector<std::string> names;
  for (const tracking::TrackedRun& run : runs) {
    names.push_back(run.name);
    if (job::is_run_id(name, run.id)) by_id.push_back(&run);
    if (run.name == name && (!newest || newest->time <= run.time)) newest = &run;
    for (const tracking::TrackedRun& nested : run.nested) {
      names.push_back(nested.name);
      if (nested.name == name && (!newest || newest->time <= nested.time)) newest = &nested;
    }
  }
  if (newest) return *newest;
  if (by_id.size() == 1) return *by_id[0];
  if (by_id.size() > 1)
    throw usage_error("several runs start with \"" + name + "\"", "", "give more digits of the id");
  throw usage_error("no run \"" + name + "\"", "", suggestion(name, names, "`kml runs` lists the runs"));
}

namespace {

tracking::MetricCourses curve_of_best(const sweep::SweepState& state) {
  tracking::MetricCourses courses;
  if (!state.best()) return courses;
  const sweep::Trial& best = state.trials()[*state.best()];
  for (const auto& [step, value] : best.curve)
    courses[state.spec().objective.metric].push_back(
        {static_cast<long long>(step), value, best.ended.value_or(state.sessions().begun)});
  return courses;
}

}  // namespace

sweep::SweepState sweep_of_run(Context& context, const tracking::TrackedRun& run) {
  const auto there = tracking::EngineRecords::of_user().read(run.id);
  return there ? there->sweep() : state_of(context, run.name);
}

bool is_of_this_machine(const tracking::TrackedRun& run) {
  return run.id == "run/" + run.name;
}

pipeline::RunState pipeline_of_run(const tracking::TrackedRun& run) {
  if (is_of_this_machine(run)) return pipeline::read_run(run.name);
  const auto there = tracking::EngineRecords::of_user().read(run.id);
  if (!there) throw Error(ErrorCode::failure, "the record of run " + run.name + " cannot be read");
  return there->run();
}

tracking::MetricCourses courses_of(Context& context, const tracking::TrackedRun& run) {
  const bool is_sweep = run.kind == "sweep";
  tracking::MetricCourses courses =
      is_sweep ? curve_of_best(sweep_of_run(context, run))
               : tracking::RunCourses::of_user().read(run.job_id.empty() ? run.id : run.job_id);
  // metrics that only count steps have no curve, which is intended
  const bool has_steps = !is_sweep && !courses.empty();
  for (const auto& [name, metric] : run.metrics)
    if (!courses.contains(name) && !(has_steps && job::counts_steps(name)))
      courses[name] = {{0, metric.last, run.finished.value_or(run.time)}};
  return courses;
}

}  // namespace kml::cli
