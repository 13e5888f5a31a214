#include <doctest/doctest.h>

#include "kml/sweep/engine/engine.h"
#include "sweep/tested_sweep.h"

namespace kml::sweep::indexed_sweep_test {

TEST_CASE("engine: an indexed sweep starts all trials as one job, and continues it after a kill") {
  for (int steps = 0; steps < 8; ++steps) {
    CAPTURE(steps);
    Sweep sweep(document_of(kIndexed));
    sweep.server.waits_left = steps;
    sweep.run();
    sweep.server.waits_left = 1 << 30;
    const SweepState state = sweep.run();
    CHECK(state.end().reason == "all 6 trials are done");
    CHECK(outcomes(state) == std::set<std::optional<Outcome>>{Outcome::complete});
    REQUIRE(state.waves().size() == 1);
    CHECK(state.waves()[0].job == "s");
    CHECK(state.trials()[5].job == "s-5");
    CHECK(sweep.server.made.size() == 6);
    CHECK(replay(sweep.records()).differences.empty());
  }
}

TEST_CASE("engine: trials of an indexed sweep that were lost with their job are started as another job") {
  Sweep sweep(document_of(kIndexed));
  sweep.server.script = [](const TrialJob& job) {
    if (job.trial % 2 == 0 || job.name.starts_with("s-w")) return parabola(job);
    return std::vector{report_of(job, TrialReport::Kind::running), report_of(job, TrialReport::Kind::gone)};
  };
  const SweepState state = sweep.run();
  CHECK(outcomes(state) == std::set<std::optional<Outcome>>{Outcome::complete});
  REQUIRE(state.waves().size() == 2);
  CHECK(state.waves()[1].trials == std::vector<std::uint64_t>{1, 3, 5});
  CHECK(state.trials()[3].job == "s-w1-1");
  CHECK(state.trials()[3].losses == 1);
}

TEST_CASE("engine: a retry of an index is counted once, and values from the failed pod are dropped") {
  Sweep sweep(document_of(kIndexed));
  sweep.server.script = [](const TrialJob& job) {
    TrialReport retried = report_of(job, TrialReport::Kind::retried);
    retried.attempt = 1;
    return std::vector{metric_of(job, 9, 77), retried, retried, metric_of(job, 1, 2), end_of(job)};
  };
  const SweepState state = sweep.run();
  for (const Trial& trial : state.trials()) {
    CHECK(trial.failures == 1);
    CHECK(trial.value == 2);
  }
}

}  // namespace kml::sweep::indexed_sweep_test
