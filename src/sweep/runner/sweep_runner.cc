#include "sweep/runner/sweep_runner.h"

#include <utility>

#include "sweep/runner/watch_options.h"

namespace kml::sweep {

namespace {

/// Runs each trial as a job.
class SweepRunner final : public Runner {
 public:
  SweepRunner(kube::Client& client, SweepRunnerOptions options, const job::Interrupt& interrupt)
      : options_(std::move(options)),
        jobs_(engine::make_job_runner(client, watch_options(options_), interrupt)) {}

  void start(const std::vector<TrialJob>& trials) override {
    std::vector<Json> objects;
    for (const TrialJob& trial : trials) objects.push_back(trial_manifest(options_, trial));
    jobs_->start(objects);
  }
  void stop(const std::string& job) override { jobs_->stop(job); }
  std::vector<TrialReport> wait(std::chrono::milliseconds limit) override { return jobs_->wait(limit); }

 private:
  const SweepRunnerOptions options_;
  const std::unique_ptr<engine::JobRunner> jobs_;
};

}  // namespace

std::unique_ptr<Runner> make_sweep_runner(kube::Client& client, SweepRunnerOptions options,
                                          const job::Interrupt& interrupt) {
  return std::make_unique<SweepRunner>(client, std::move(options), interrupt);
}

}  // namespace kml::sweep
