#include "sweep/engine/trial_ends.h"

#include <strings.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "kml/base/text.h"
#include "kml/engine/journal/telling_line.h"

namespace kml::sweep {

namespace {

constexpr int kMostLosses = 3;

/// "did you mean val_loss or test_loss?" if the wanted metric was only printed with a word before it;
/// otherwise a similar name.
std::string meant_metric(const std::string& metric, const std::vector<std::string>& names) {
  std::vector<std::string> longer;
  for (const std::string& name : names)
    if (lower(name).ends_with("_" + lower(metric)) || lower(name).ends_with("'s " + lower(metric)))
      longer.push_back(name);
  return longer.empty() ? did_you_mean(metric, names) : "did you mean " + join(longer, " or ") + "?";
}

/// Why a trial has no result, such as "it finished without accuracy; it reported acc, loss", followed by the
/// last lines of the log.
std::string no_metric(const std::string& metric, const Progress* progress, const TrialReport& report) {
  std::string text = "it finished without " + metric;
  if (progress && !progress->names().empty()) {
    const std::vector<std::string> names(progress->names().begin(), progress->names().end());
    const bool is_case = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return ::strcasecmp(name.c_str(), metric.c_str()) == 0;
    });
    const std::string hint = is_case ? "metric names are case-sensitive" : meant_metric(metric, names);
    text += "; it reported " + join(names, ", ") + (hint.empty() ? "" : ": " + hint);
  }
  if (!report.last_lines.empty()) text += "\nits last lines:\n" + join(report.last_lines, "\n");
  return text;
}

/// Why a trial failed, including the line in the log that explains it: "exit code 1: RuntimeError: out of
/// luck".
std::string failure(const TrialReport& report) {
  constexpr size_t kLongest = 200;
  const std::string line = engine::telling_line(report.last_lines, report.cause);
  return line.empty() ? report.cause : report.cause + ": " + line.substr(0, kLongest);
}

record::Results results_of(const Trial& trial) {
  return {trial.curve, trial.metrics, trial.diverged};
}

record::Ended ended(const Trial& trial, Outcome outcome) {
  return {trial.number, outcome, trial.cause, trial.node, trial.gpu_seconds, trial.value, results_of(trial)};
}

}  // namespace

/// Records the end of a job. If the job ended while no engine was running, it ended earlier than the record
/// was written.
void TrialEnds::decide(SweepDecisions::What what, const TrialReport& report) {
  Record record{decisions_.now(), std::move(what)};
  if (report.job_ended && *report.job_ended < begun_) record.job_ended = report.job_ended;
  decisions_.decide(record);
}

/// Records an attempt that has failed and will be retried.
void TrialEnds::decide_failure(const Trial& trial, const std::string& cause, record::Failed::Fault fault,
                               const TrialReport& report) {
  decide(record::Failed{trial.number, cause, report.node, report.gpu_seconds, fault, results_of(trial)},
         report);
}

void TrialEnds::take(const Trial& trial, const TrialReport& report) {
  if (const auto wanted = ending_.find(trial.number); wanted != ending_.end()) {
    if (!report.succeeded || report.lost_lines) return take_wanted_end(trial, wanted->second, report);
    ending_.erase(wanted);  // the job ended before it was stopped
  }
  if (report.out_of_memory) return end_trial(trial, Outcome::out_of_memory, report.cause, report);
  if (report.succeeded)
    take_success(trial, report);
  else
    take_failure(trial, report);
}

void TrialEnds::take_failure(const Trial& trial, const TrialReport& report) {
  const bool is_indexed = state_.spec().is_indexed;
  if (report.is_disrupted && !is_indexed && !counts_restarts_) {
    decide_failure(measurements_.so_far(trial), report.cause, record::Failed::Fault::disrupted, report);
    return starts_.begin_again(trial);
  }
  if (is_indexed || trial.failures >= state_.spec().retries)
    return end_trial(trial, Outcome::failed, failure(report), report);
  decide_failure(measurements_.so_far(trial), failure(report), record::Failed::Fault::own, report);
  starts_.begin_again(trial);
}

void TrialEnds::take_success(const Trial& trial, const TrialReport& report) {
  if (report.lost_lines) return take_loss(trial, "its log could not be read to the end", report);
  const Objective& objective = state_.spec().objective;
  const std::optional<double> value = measurements_.value_of(trial);
  const Progress* seen = measurements_.progress(trial.number);
  const Diverged diverged = seen ? seen->diverged(objective) : Diverged();
  if (!value) return end_trial(trial, Outcome::no_metric, no_metric(objective.metric, seen, report), report);
  const bool is_only_objective = state_.spec().further.empty();
  if (!std::isfinite(*value))
    return end_trial(trial, Outcome::diverged,
                     is_only_objective ? "" : objective.metric + " is not a finite number", report);
  for (const Objective& further : state_.spec().further) {
    if (diverged.contains(further.metric))
      return end_trial(trial, Outcome::diverged, further.metric + " is not a finite number", report);
    if (!trial.metrics.contains(further.metric) && !(seen && seen->metrics().contains(further.metric)))
      return end_trial(trial, Outcome::no_metric, no_metric(further.metric, seen, report), report);
  }
  if (trial.until > 0 && trial.until < stops_.max) return pause(trial, *value, report);
  end_trial(trial, Outcome::complete, "", report);
}

/// Pauses a trial whose job has reached the resource up to which it may run.
void TrialEnds::pause(const Trial& trial, double value, const TrialReport& report) {
  Trial paused = measurements_.updated(trial);
  if (paused.curve.empty() || paused.curve.back().first < trial.until)
    paused.curve.emplace_back(trial.until, value);
  measurements_.forget(trial.number);
  decide(record::Rung{trial.number, trial.until, value, record::Rung::Decision::pause, report.gpu_seconds,
                      results_of(paused)},
         report);
}

/// Ends a trial that was ordered to end. If the whole sweep is ending, withdraws the trial instead.
void TrialEnds::take_wanted_end(const Trial& trial, WantedEnd end, const TrialReport& report) {
  if (end) return end_trial(trial, *end, "", report);
  decide(record::Withdrawn{trial.number, report.gpu_seconds, results_of(measurements_.so_far(trial))},
         report);
  ending_.erase(trial.number);
  measurements_.forget(trial.number);
}

void TrialEnds::take_loss(const Trial& trial, const std::string& cause, const TrialReport& report) {
  if (const auto wanted = ending_.find(trial.number); wanted != ending_.end())
    return take_wanted_end(trial, wanted->second, report);
  const bool is_last =
      counts_restarts_ ? trial.failures >= state_.spec().retries : trial.losses >= kMostLosses;
  if (is_last) return end_trial(trial, Outcome::lost, cause, report);
  decide_failure(measurements_.so_far(trial), cause,
                 counts_restarts_ ? record::Failed::Fault::own : record::Failed::Fault::lost, report);
  starts_.begin_again(trial);
}

/// Kubernetes itself retries an index. If a log is read again, the same retries are reported again; such
/// repetitions are ignored.
void TrialEnds::take_retry(const Trial& trial, const TrialReport& report) {
  if (report.attempt <= trial.failures) return;
  decide_failure(trial, report.cause, record::Failed::Fault::own, report);
  measurements_.forget(trial.number);
}

void TrialEnds::end_trial(const Trial& trial, Outcome outcome, std::string cause, const TrialReport& report) {
  Trial last = measurements_.updated(trial);
  last.cause = std::move(cause);
  last.gpu_seconds = report.gpu_seconds;
  if (!report.node.empty()) last.node = report.node;
  last.value = measurements_.value_of(trial);
  measurements_.forget(trial.number);
  ending_.erase(trial.number);
  decide(ended(last, outcome), report);
}

void TrialEnds::end_early(const Trial& trial, WantedEnd end) {
  if (ending_.try_emplace(trial.number, end).second) decisions_.stop(trial.job);
}

/// Records the ends of paused trials. If a later engine may start more trials, it resumes them.
void TrialEnds::end_paused() {
  const std::set<std::uint64_t> paused = state_.lists().paused;
  for (const std::uint64_t number : paused) {
    Trial last = state_.trials()[number];
    last.gpu_seconds = 0;
    last.value = measurements_.value_of(last);
    decisions_.decide(ended(last, Outcome::pruned));
  }
}

}  // namespace kml::sweep
