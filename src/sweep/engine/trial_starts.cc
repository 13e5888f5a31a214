#include "sweep/engine/trial_starts.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "sweep/spec/trial_template.h"

namespace kml::sweep {

namespace {

/// The maximum number of jobs created per second. Limited, because other clients use the API server, too.
constexpr int kMostBegunInASecond = 100;

}  // namespace

void TrialStarts::reattach() {
  for (size_t i = 0; i < state_.waves().size(); ++i) waves_to_start_.push_back(i);
  for (const std::uint64_t number : state_.lists().running) {
    const Trial& trial = state_.trials()[number];
    if (trial.job.empty())
      begin(trial, trial.rung, trial.attempt, trial.until > 0 ? trial.until : first_grant(trial));
    else if (!state_.spec().is_indexed)
      decisions_.start(job_of(trial));
  }
}

bool TrialStarts::has_room() const {
  if (state_.spec().is_indexed) return true;
  return (begun_in_second_ < kMostBegunInASecond || !is_of_second(decisions_.now())) &&
         state_.lists().running.size() < static_cast<size_t>(state_.spec().parallel);
}

bool TrialStarts::is_of_second(Time time) const {
  return time >= second_ && time - second_ < std::chrono::seconds(1);
}

/// Counts a job that has just been started.
void TrialStarts::count() {
  if (!is_of_second(state_.sessions().last)) {
    second_ = state_.sessions().last;
    begun_in_second_ = 0;
  }
  ++begun_in_second_;
}

void TrialStarts::begin(const Trial& trial, int rung, int attempt, double until) {
  if (state_.spec().is_indexed) return next_wave_.push_back(trial.number);
  const std::string name = job_name(state_.spec().name, trial.number, rung, attempt);
  decisions_.decide(record::Begun{trial.number, name, rung, attempt, until});
  decisions_.start(job_of(trial));
  count();
  measurements_.forget(trial.number);
}

/// The resource up to which the first job of a trial runs.
double TrialStarts::first_grant(const Trial& trial) const {
  if (!state_.spec().stopping.promote) return 0;
  return rungs(stops_, bracket_of(stops_, trial.number)).front();
}

TrialJob TrialStarts::job_of(const Trial& trial) const {
  TrialJob job{trial.job,    trial.number, trial.rung, trial.attempt,
               trial.values, {},           {},         state_.nodes().bad()};
  job.must_avoid = has_good_node(state_);
  if (trial.until > 0) job.until = trial.until;
  job.checkpoint = checkpoint_folder(state_, std::to_string(trial.number));
  if (const auto& lineage = trial.lineage)
    job.parent = lineage->parent ? checkpoint_folder(state_, std::to_string(*lineage->parent)) : "";
  return job;
}

/// Starts the wave. The first wave has the same name as the sweep.
void TrialStarts::begin_wave() {
  if (!next_wave_.empty()) {
    const size_t number = state_.waves().size();
    const std::string name = state_.spec().name + (number == 0 ? "" : "-w" + std::to_string(number));
    for (const std::uint64_t trial : next_wave_) measurements_.forget(trial);
    decisions_.decide(Wave{name, std::exchange(next_wave_, {})});
    waves_to_start_.push_back(number);
  }
  for (const size_t wave : std::exchange(waves_to_start_, {}))
    if (std::vector<TrialJob> jobs = jobs_of(state_.waves()[wave]); !jobs.empty())
      decisions_.start_together(std::move(jobs));
}

std::vector<std::uint64_t> TrialStarts::withdraw_wave() {
  return std::exchange(next_wave_, {});
}

/// The jobs of all trials in the wave. If at least one trial still runs in this wave, the ended ones are
/// included, because the Job's table has them all; otherwise, the list is empty.
std::vector<TrialJob> TrialStarts::jobs_of(const Wave& wave) const {
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

}  // namespace kml::sweep
