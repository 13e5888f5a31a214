#include <strings.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kml/base/text.h"
#include "kml/engine/journal/telling_line.h"
#include "kml/sweep/engine/engine.h"

namespace kml::sweep {

namespace {

constexpr int kMostLosses = 3;

/// "accuracy was never reported; it reported acc, loss", followed by the last lines of the log.
std::string no_metric(const std::string& metric, const Progress* progress, const TrialReport& report) {
  std::string text = "it ended without " + metric;
  if (progress && !progress->names().empty()) {
    const std::vector<std::string> names(progress->names().begin(), progress->names().end());
    const bool is_case = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return ::strcasecmp(name.c_str(), metric.c_str()) == 0;
    });
    const std::string hint = is_case ? "metric names are case-sensitive" : did_you_mean(metric, names);
    text += "; it reported " + join(names, ", ") + (hint.empty() ? "" : ": " + hint);
  }
  if (!report.last_lines.empty()) text += "\nits last lines:\n" + join(report.last_lines, "\n");
  return text;
}

/// "exit code 1: RuntimeError: out of luck": includes the line of the log that says why.
std::string failure(const TrialReport& report) {
  constexpr size_t kLongest = 200;
  const std::string line = engine::telling_line(report.last_lines);
  return line.empty() ? report.cause : report.cause + ": " + line.substr(0, kLongest);
}

/// Appends the values that a trial's last job reported to those of its earlier jobs.
Curve joined(Curve earlier, const Curve& last) {
  if (!last.empty())
    std::erase_if(earlier, [&](const auto& point) { return point.first >= last.front().first; });
  earlier.insert(earlier.end(), last.begin(), last.end());
  return earlier;
}

record::Results results_of(const Trial& trial) {
  return {trial.curve, trial.metrics, trial.diverged};
}

}  // namespace

void Engine::take(const TrialReport& report) {
  const Trial* trial = state_.find(report.job);
  if (!trial || trial->has_ended() || trial->job != report.job) return;
  waits_.erase(trial->number);
  switch (report.kind) {
    case TrialReport::Kind::waiting:
      if (!report.cause.empty()) waits_[trial->number] = report.cause;
      if (trial->is_seen) decide(Record{report.time, record::Waiting{trial->number}});
      break;
    case TrialReport::Kind::running:
      if (report.begun_anew && state_.spec().checkpoint_folder.empty()) progress_.erase(trial->number);
      if (!trial->is_seen) decide(Record{report.time, record::Running{trial->number, report.node}});
      break;
    case TrialReport::Kind::metric: take_metric(*trial, report); break;
    case TrialReport::Kind::ended: take_end(*trial, report); break;
    case TrialReport::Kind::retried: take_retry(*trial, report); break;
    case TrialReport::Kind::gone: take_loss(*trial, "its job was deleted", report); break;
    case TrialReport::Kind::refused: end_trial(*trial, Outcome::refused, report.cause, report); break;
  }
}

void Engine::take_metric(const Trial& trial, const TrialReport& report) {
  Progress& progress = progress_[trial.number];
  const double before = progress.has_value() ? progress.last_step() : 0;
  progress.add(state_.spec().objective, report.metric, report.step, report.value, report.is_of_earlier_step);
  const bool counts = report.metric == state_.spec().objective.metric && report.step > before;
  if (counts && stops_.rule != StopRule::none && !state_.spec().stopping.promote)
    consider_stop(trial, before, report.step);
}

/// Decides whether to stop a trial that has just passed a rung (ASHA), or at any point (median). If a log is
/// read again, the trial passes rungs at which it was judged before; those decisions stay.
void Engine::consider_stop(const Trial& trial, double before, double resource) {
  if (ending_.contains(trial.number)) return;
  if (has_rungs(stops_.rule)) {
    const std::vector<double> levels = rungs(stops_, bracket_of(stops_, trial.number));
    const auto is_passed = [&](double rung) {
      return before < rung && trial.judged < rung && rung <= resource && rung < stops_.max;
    };
    if (std::none_of(levels.begin(), levels.end(), is_passed)) return;
  }
  const std::optional<Verdict> verdict = judge(stops_, observation(trial), resource, all_observations());
  if (!verdict) return;
  note_verdict(trial, *verdict);
  const double value = progress_[trial.number].all().at(resource);
  if (std::isfinite(value) && (verdict->stops || has_rungs(stops_.rule)))
    decide(record::Rung{trial.number, resource, value,
                        verdict->stops ? record::Rung::Decision::stop : record::Rung::Decision::go});
  if (verdict->stops) end_early(trial, std::isfinite(value) ? Outcome::pruned : Outcome::diverged);
}

/// Records how the trial compared. The median judges at each report, so it is recorded when a trial has come
/// twice as far, and when the median becomes known.
void Engine::note_verdict(const Trial& trial, const Verdict& verdict) {
  const bool is_news = verdict.stops || has_rungs(stops_.rule) || !trial.judgement ||
                       verdict.cutoff.has_value() != trial.judgement->cutoff.has_value() ||
                       verdict.resource >= 2 * trial.judgement->resource;
  if (is_news) decide(judged(trial.number, verdict, state_.spec().objective));
}

/// The trial's observation, including the values reported since the last record.
Observation Engine::observation(const Trial& trial) const {
  const Progress* progress = this->progress(trial.number);
  const double known = trial.curve.empty() ? 0 : trial.curve.back().first;
  if (!progress || progress->last_step() < known) return state_.observation(trial);
  Trial now = trial;
  now.curve = joined(trial.curve, {progress->all().begin(), progress->all().end()});
  return state_.observation(now);
}

/// Observations of ended trials do not change, so only others are updated.
const std::vector<Observation>& Engine::all_observations() {
  const auto is_final = [](TrialState state) {
    return state != TrialState::running && state != TrialState::paused;
  };
  observations_.resize(state_.trials().size());
  for (const Trial& trial : state_.trials())
    if (Observation& known = observations_[trial.number]; !is_final(known.state)) known = observation(trial);
  return observations_;
}

void Engine::take_end(const Trial& trial, const TrialReport& report) {
  if (const auto wanted = ending_.find(trial.number); wanted != ending_.end()) {
    if (!report.succeeded || report.lost_lines) return take_wanted_end(trial, wanted->second, report);
    ending_.erase(wanted);  // it ended before it was stopped
  }
  if (report.out_of_memory) return end_trial(trial, Outcome::out_of_memory, report.cause, report);
  if (report.is_disrupted && !state_.spec().is_indexed) {
    decide_failure(so_far(trial), report.cause, record::Failed::Fault::disrupted, report);
    return begin(trial, trial.rung, trial.attempt, trial.until);
  }
  if (!report.succeeded) {
    if (state_.spec().is_indexed || trial.failures >= state_.spec().retries)
      return end_trial(trial, Outcome::failed, failure(report), report);
    decide_failure(so_far(trial), failure(report), record::Failed::Fault::own, report);
    return begin(trial, trial.rung, trial.attempt, trial.until);
  }
  if (report.lost_lines) return take_loss(trial, "its log could not be read to its end", report);
  const std::optional<double> value = value_of(trial);
  const Progress* seen = progress(trial.number);
  const Diverged diverged = seen ? seen->diverged(state_.spec().objective) : Diverged();
  if (!value)
    return end_trial(trial, Outcome::no_metric, no_metric(state_.spec().objective.metric, seen, report),
                     report);
  if (!std::isfinite(*value)) return end_trial(trial, Outcome::diverged, "", report);
  for (const Objective& objective : state_.spec().further) {
    if (diverged.contains(objective.metric))
      return end_trial(trial, Outcome::diverged, objective.metric + " is not a finite number", report);
    if (!trial.metrics.contains(objective.metric) && !(seen && seen->metrics().contains(objective.metric)))
      return end_trial(trial, Outcome::no_metric, no_metric(objective.metric, seen, report), report);
  }
  if (trial.until > 0 && trial.until < stops_.max) return pause(trial, *value, report);
  end_trial(trial, Outcome::complete, "", report);
}

/// Pauses a trial whose job has reached the resource where it had to end.
void Engine::pause(const Trial& trial, double value, const TrialReport& report) {
  Trial paused = trial;
  if (const Progress* progress = this->progress(trial.number)) take_progress(paused, *progress);
  if (paused.curve.empty() || paused.curve.back().first < trial.until)
    paused.curve.emplace_back(trial.until, value);
  progress_.erase(trial.number);
  decide(record::Rung{trial.number, trial.until, value, record::Rung::Decision::pause, report.gpu_seconds,
                      results_of(paused)},
         report);
}

/// Ends a trial that was told to end. If the whole sweep ends, the trial is withdrawn instead.
void Engine::take_wanted_end(const Trial& trial, WantedEnd end, const TrialReport& report) {
  if (end) return end_trial(trial, *end, "", report);
  decide(record::Withdrawn{trial.number, report.gpu_seconds, results_of(so_far(trial))}, report);
  ending_.erase(trial.number);
  progress_.erase(trial.number);
}

/// Creates the trial's job again, with the same parameters.
void Engine::take_loss(const Trial& trial, const std::string& cause, const TrialReport& report) {
  if (const auto wanted = ending_.find(trial.number); wanted != ending_.end())
    return take_wanted_end(trial, wanted->second, report);
  if (trial.losses >= kMostLosses) return end_trial(trial, Outcome::lost, cause, report);
  decide_failure(so_far(trial), cause, record::Failed::Fault::lost, report);
  begin(trial, trial.rung, trial.attempt, trial.until);
}

void Engine::end_trial(const Trial& trial, Outcome outcome, std::string cause, const TrialReport& report) {
  Trial ended = trial;
  ended.cause = std::move(cause);
  ended.gpu_seconds = report.gpu_seconds;
  if (!report.node.empty()) ended.node = report.node;
  ended.value = value_of(trial);
  if (const Progress* progress = this->progress(trial.number)) take_progress(ended, *progress);
  progress_.erase(trial.number);
  ending_.erase(trial.number);
  decide(this->ended(ended, outcome), report);
}

record::Ended Engine::ended(const Trial& trial, Outcome outcome) const {
  return {trial.number, outcome, trial.cause, trial.node, trial.gpu_seconds, trial.value, results_of(trial)};
}

/// Records an attempt that failed and will be retried.
void Engine::decide_failure(const Trial& trial, const std::string& cause, record::Failed::Fault fault,
                            const TrialReport& report) {
  decide(record::Failed{trial.number, cause, report.node, report.gpu_seconds, fault, results_of(trial)},
         report);
}

/// The trial, including what its last job reported if the next job continues from its checkpoint.
Trial Engine::so_far(const Trial& trial) const {
  Trial now = trial;
  const Progress* progress = this->progress(trial.number);
  if (progress && !state_.spec().checkpoint_folder.empty()) take_progress(now, *progress);
  return now;
}

void Engine::take_progress(Trial& trial, const Progress& progress) const {
  const bool at_rungs = has_rungs(stops_.rule);
  trial.curve = joined(
      trial.curve, progress.curve(state_.spec().objective, at_rungs ? rungs(stops_) : std::vector<double>{}));
  for (const auto& [name, value] : progress.metrics()) trial.metrics[name] = value;
  trial.diverged = progress.diverged(state_.spec().objective);
  for (const auto& [name, last] : trial.diverged) trial.metrics.erase(name);
}

/// The value that the strategy chooses among the values of the last job, and of the earlier jobs if it
/// continued from their checkpoints; NaN if the trial diverged.
std::optional<double> Engine::value_of(const Trial& trial) const {
  const Objective& objective = state_.spec().objective;
  const bool goes_on = !state_.spec().checkpoint_folder.empty();
  const Curve earlier = goes_on || trial.state == TrialState::paused ? trial.curve : Curve{};
  const Progress* progress = this->progress(trial.number);
  if (objective.strategy == Objective::Strategy::latest) {
    if (progress && progress->has_value()) return progress->latest();
    return earlier.empty() ? std::nullopt : std::optional(earlier.back().second);
  }
  std::optional<double> best;
  if (progress && progress->has_value()) best = progress->value(objective);
  for (const auto& [resource, value] : earlier)
    if (!best || !(objective.cost(value) >= objective.cost(*best))) best = value;
  return best;
}

/// The first wave has the sweep's own name.
void Engine::begin_wave() {
  const size_t number = state_.waves().size();
  const std::string name = state_.spec().name + (number == 0 ? "" : "-w" + std::to_string(number));
  for (const std::uint64_t trial : next_wave_) progress_.erase(trial);
  decide(Wave{name, std::exchange(next_wave_, {})});
  waves_to_start_.push_back(number);
}

/// The jobs of all trials, because they form the Job's table. None if all have ended or are in a later wave.
std::vector<TrialJob> Engine::jobs_of(const Wave& wave) const {
  std::vector<TrialJob> jobs;
  for (size_t i = 0; i < wave.trials.size(); ++i) {
    const Trial& trial = state_.trials()[wave.trials[i]];
    jobs.push_back(job_of(trial));
    jobs.back().name = index_name(wave.job, i);
    jobs.back().has_ended = trial.has_ended() || trial.job != jobs.back().name;
  }
  if (std::all_of(jobs.begin(), jobs.end(), [](const TrialJob& job) { return job.has_ended; })) jobs.clear();
  return jobs;
}

/// Kubernetes retries an index by itself. If a log is read again, known retries are reported again; these are
/// ignored.
void Engine::take_retry(const Trial& trial, const TrialReport& report) {
  if (report.attempt <= trial.failures) return;
  decide_failure(trial, report.cause, record::Failed::Fault::own, report);
  progress_.erase(trial.number);
}

}  // namespace kml::sweep
