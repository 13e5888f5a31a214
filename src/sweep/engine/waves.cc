#include <algorithm>
#include <utility>

#include "kml/sweep/engine/engine.h"

namespace kml::sweep {

/// The first has the sweep's own name.
void Engine::begin_wave() {
  const size_t number = state_.waves().size();
  const std::string name = state_.spec().name + (number == 0 ? "" : "-w" + std::to_string(number));
  for (const std::uint64_t trial : next_wave_) progress_.erase(trial);
  decide(Wave{name, std::exchange(next_wave_, {})});
  waves_to_start_.push_back(number);
}

/// All of them, for they make the Job's table; none where all have ended, or are in a later wave.
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

/// Kubernetes retries an index by itself. A log that is read anew tells of retries that are known.
void Engine::take_retry(const Trial& trial, const TrialReport& report) {
  if (report.attempt <= trial.failures) return;
  decide_failure(trial, report.cause, record::Failed::Fault::own, report);
  progress_.erase(trial.number);
}

}  // namespace kml::sweep
