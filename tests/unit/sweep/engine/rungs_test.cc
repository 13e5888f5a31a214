#include <doctest/doctest.h>

#include "kml/sweep/engine/engine.h"
#include "sweep/tested_sweep.h"

namespace kml::sweep::rungs_test {

TEST_CASE("sweep: ASHA stops the worse trials at a rung, and the others run to the end") {
  Sweep sweep(document_of({{"maxTrialCount", 60},
                           {"fidelity", {{"metric", "step"}, {"min", 1}, {"max", 16}, {"eta", 4}}},
                           {"earlyStopping", {{"algorithmName", "asha"}}}}));
  sweep.server.script = [](const TrialJob& job) {
    std::vector<TrialReport> reports;
    for (int step = 1; step <= 16; ++step)
      reports.push_back(metric_of(job, step, std::abs(x_of(job)) + 1.0 / step));
    reports.push_back(end_of(job));
    return reports;
  };
  const SweepState state = sweep.run();
  CHECK(state.lists().count(Outcome::pruned) > 25);
  CHECK(state.lists().count(Outcome::complete) > 2);
  CHECK(state.lists().count(Outcome::pruned) + state.lists().count(Outcome::complete) == 60);
  double best = 1, all = 1;
  for (const Trial& trial : state.trials()) {
    const double x = std::abs(trial.values["x"].get<double>());
    all = std::min(all, x);
    if (trial.outcome == Outcome::complete) best = std::min(best, x);
    if (trial.outcome == Outcome::pruned) CHECK(trial.curve.back().first < 16);
  }
  CHECK(best == all);
}

TEST_CASE("sweep: with promote, each rung is a job, which continues from the trial's checkpoint") {
  Sweep sweep(document_of({{"maxTrialCount", 40},
                           {"checkpointDir", "/ckpt"},
                           {"fidelity", {{"metric", "step"}, {"min", 1}, {"max", 16}, {"eta", 4}}},
                           {"earlyStopping", {{"algorithmName", "asha"}, {"mode", "promote"}}}}));
  sweep.server.script = [](const TrialJob& job) {
    REQUIRE(job.until);
    return std::vector{metric_of(job, *job.until, std::abs(x_of(job)) + 1.0 / *job.until), end_of(job)};
  };
  const SweepState state = sweep.run();
  CHECK(outcomes(state) == std::set<std::optional<Outcome>>{Outcome::complete, Outcome::pruned});
  CHECK(state.trials().size() == 40);
  const Trial& best = state.trials()[*state.best()];
  CHECK(best.until == 16);
  CHECK(best.curve.size() >= 2);
  const TrialJob& last = sweep.server.jobs.at(best.job).job;
  CHECK(last.checkpoint == "/ckpt/s-id-" + std::to_string(best.number));
  CHECK(sweep.server.jobs.contains(job_name("s", best.number, 0, 0)));
}

TEST_CASE(
    "sweep: even with few trials, one is trained to the end: the best of those that reached the highest "
    "rung") {
  Sweep sweep(document_of({{"maxTrialCount", 3},
                           {"checkpointDir", "/ckpt"},
                           {"fidelity", {{"metric", "step"}, {"min", 1}, {"max", 16}, {"eta", 4}}},
                           {"earlyStopping", {{"algorithmName", "asha"}, {"mode", "promote"}}}}));
  sweep.server.script = [](const TrialJob& job) {
    return std::vector{metric_of(job, *job.until, std::abs(x_of(job)) + 1.0 / *job.until), end_of(job)};
  };
  const SweepState state = sweep.run();
  CHECK(state.lists().count(Outcome::complete) == 1);
  CHECK(state.lists().count(Outcome::pruned) == 2);
  REQUIRE(state.best());
  const Trial& best = state.trials()[*state.best()];
  CHECK(best.until == 16);
  for (const Trial& trial : state.trials())
    CHECK(std::abs(best.values["x"].get<double>()) <= std::abs(trial.values["x"].get<double>()));
}

}  // namespace kml::sweep::rungs_test
