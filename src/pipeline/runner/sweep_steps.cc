#include "pipeline/runner/sweep_steps.h"

#include <utility>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/process.h"
#include "kml/base/text.h"
#include "kml/sweep/engine/sweep_state.h"
#include "kml/sweep/journal/journal.h"
#include "pipeline/runner/filled_here.h"
#include "pipeline/runner/own_command.h"

namespace kml::pipeline {

namespace {

using engine::JobReport;

sweep::SweepState state_of_sweep(const std::string& name) {
  sweep::SweepState state;
  sweep::read_journal(sweep::sweep_folder(name), [&](const sweep::Record& record) { state.apply(record); });
  return state;
}

/// Whether the sweep need not be started, because it is running, or has ended since an earlier engine started
/// it.
bool is_begun(const StepJob& job) {
  const std::filesystem::path folder = sweep::sweep_folder(job.name);
  if (!std::filesystem::exists(folder / "journal.jsonl")) return false;
  return sweep::writer_of(folder) || (!job.is_new && !state_of_sweep(job.name).end().reason.empty());
}

/// Runs kml itself in this folder. If it fails, throws usage Error with its output.
void run_kml(const std::filesystem::path& folder, const std::vector<std::string>& words) {
  const ProcessResult result = run_process(own_command(words), {.folder = folder, .merge_errors = true});
  if (result.exit_code != 0) throw usage_error("the sweep was rejected", std::string(trim(result.out)));
}

}  // namespace

/// Turns the settings in the pipeline file into flags. The sweep itself reads kml.yaml.
std::vector<std::string> SweepSteps::command_line(const StepJob& job) const {
  const FilledStep filled = filled_here(options_, pipeline_, job);
  std::vector<std::string> words = {"sweep", "run", job.name, "--detach"};
  const auto add = [&](const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
  };
  add(options_.target_flags);
  add(flags_of(job.step->sweep, job, pipeline_.file));
  add(setting_flags(options_, filled));
  if (!options_.is_local) add(input_mounts(job, options_.store, "a sweep"));
  add({"--"});
  add(filled.command);
  return words;
}

void SweepSteps::start(const StepJob& job) {
  if (!is_begun(job)) run_kml(options_.folder, command_line(job));
  live_[job.name] = {.job = job};
}

void SweepSteps::stop(const std::string& sweep) {
  std::vector<std::string> words = {"sweep", "stop", sweep};
  words.insert(words.end(), options_.target_flags.begin(), options_.target_flags.end());
  run_kml(options_.folder, words);
}

/// If the sweep's engine was killed, which happens when its pod is replaced, starts it again. Returns false
/// if this was done too often.
bool SweepSteps::continue_killed(Live& live) {
  constexpr int kMostStarts = 5;
  if (++live.starts > kMostStarts) return false;
  live.job.step = pipeline_.find(live.job.scope.at("step").at("name").get<std::string>());
  run_kml(options_.folder, command_line(live.job));
  return true;
}

std::vector<JobReport> SweepSteps::reports() {
  std::vector<JobReport> reports;
  for (auto& [name, live] : live_) {
    if (!std::exchange(live.is_told, true))
      reports.push_back({.kind = JobReport::Kind::running, .job = name, .time = system_clock().now()});
    if (sweep::writer_of(sweep::sweep_folder(name))) continue;
    const sweep::SweepState state = state_of_sweep(name);
    JobReport end{.kind = JobReport::Kind::ended, .job = name, .time = system_clock().now()};
    end.succeeded = !state.end().reason.empty() && state.best();
    if (!state.end().reason.empty()) {
      end.cause = "the sweep finished without a result: " + state.end().reason;
      end.job_ended = state.sessions().last;
    } else {
      try {
        if (continue_killed(live)) continue;
        end.cause = "its engine was killed; `kml sweep logs " + name + " --engine` prints its messages";
      } catch (const Error& error) {
        end.cause = message_and_why(error);
      }
    }
    reports.push_back(std::move(end));
  }
  for (const JobReport& report : reports)
    if (report.kind == JobReport::Kind::ended) live_.erase(report.job);
  return reports;
}

Json SweepSteps::made_by(const std::string& sweep) {
  const sweep::SweepState state = state_of_sweep(sweep);
  if (!state.best()) throw Error(ErrorCode::job_failed, "sweep " + sweep + " has no best trial");
  const sweep::Trial& best = state.trials()[*state.best()];
  Json made = {{"best.value", {{"value", *best.value}}}};
  for (const auto& [name, value] : best.values.items()) made["best." + name] = {{"value", value}};
  return made;
}

}  // namespace kml::pipeline
