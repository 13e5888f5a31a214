#include "sweep/tables/sweep_stopping.h"

#include <doctest/doctest.h>

#include <cmath>

#include "sweep/tested_sweep.h"

namespace sweep_stopping_test {

using namespace kml;
using namespace kml::sweep;
using kml::ui::StoppingReport;

namespace {

Json stopped_by(const std::string& rule, const std::string& mode, const std::string& direction) {
  return document_of({{"maxTrialCount", 40},
                      {"objective", {{"type", direction}, {"objectiveMetricName", "loss"}}},
                      {"checkpointDir", "/ckpt"},
                      {"fidelity", {{"metric", "step"}, {"min", 1}, {"max", 16}, {"eta", 4}}},
                      {"earlyStopping", {{"algorithmName", rule}, {"mode", mode}}}});
}

SweepState state_of(const std::vector<Record>& records) {
  SweepState state;
  for (const Record& record : records) state.apply(record);
  return state;
}

/// Trial 3 diverges.
std::vector<TrialReport> reports_of(const TrialJob& job, double sign) {
  const double last = job.until.value_or(16);
  std::vector<TrialReport> reports;
  for (int step = 1; step <= last; ++step)
    reports.push_back(metric_of(job, step, job.trial == 3 ? NAN : sign * (std::abs(x_of(job)) + 1.0 / step)));
  reports.push_back(end_of(job));
  return reports;
}

}  // namespace

TEST_CASE("stopping report: each stopped trial missed the reported cut-off, and no other trial did") {
  for (const char* rule : {"asha", "hyperband", "median"})
    for (const char* mode : {"stop", "promote"})
      for (const char* direction : {"minimize", "maximize"}) {
        if (rule == std::string("median") && mode == std::string("promote")) continue;
        CAPTURE(rule);
        CAPTURE(mode);
        CAPTURE(direction);
        Sweep sweep(stopped_by(rule, mode, direction));
        const double sign = direction == std::string("minimize") ? 1 : -1;
        sweep.server.script = [&](const TrialJob& job) { return reports_of(job, sign); };
        sweep.run();
        const SweepState state = state_of(sweep.records());  // the state that another process reads
        const StoppingReport report(state);
        size_t stopped = 0, with_cutoff = 0;
        for (const Trial& trial : state.trials()) {
          const Json told = report.to_json(trial);
          CAPTURE(told.dump());
          const bool was_stopped = trial.state == TrialState::pruned;
          stopped += was_stopped;
          if (trial.number == 3) continue;
          CHECK((told["decision"] == "stopped") == was_stopped);
          CHECK(!told["why"].get<std::string>().empty());
          if (!told.contains("cutoff") || told["cutoff"].is_null()) continue;
          ++with_cutoff;
          const double value = told["value"], cutoff = told["cutoff"];
          CHECK((sign * value > sign * cutoff) == was_stopped);
          CHECK(told["place"] <= told["of"]);
        }
        CHECK(stopped > 5);
        CHECK(with_cutoff > 10);
      }
}

TEST_CASE("stopping report: the counts of the brackets add up") {
  for (const char* mode : {"stop", "promote"}) {
    CAPTURE(mode);
    Sweep sweep(stopped_by("hyperband", mode, "minimize"));
    sweep.server.script = [](const TrialJob& job) { return reports_of(job, 1); };
    sweep.run();
    const SweepState state = state_of(sweep.records());
    const Json brackets = StoppingReport(state).to_json()["brackets"];
    REQUIRE(brackets.size() == 3);
    size_t trials = 0, stopped = 0;
    for (const Json& bracket : brackets) {
      trials += bracket["trials"].get<size_t>();
      size_t left = bracket["trials"];
      for (const Json& rung : bracket["rungs"]) {
        CHECK(rung["reached"] <= left);
        left = rung["reached"].get<size_t>() - rung["stopped"].get<size_t>();
        stopped += rung["stopped"].get<size_t>();
      }
    }
    CHECK(trials == 40);
    const size_t diverged = state.trials()[3].judgement && state.trials()[3].judgement->stops ? 1 : 0;
    CHECK(stopped == state.lists().count(Outcome::pruned) + diverged);
  }
}

TEST_CASE("stopping report: a sweep that is stopped and continued keeps its earlier decisions") {
  Sweep sweep(stopped_by("asha", "stop", "minimize"));
  sweep.server.script = [](const TrialJob& job) { return reports_of(job, 1); };
  const SweepState first = sweep.run_and_stop(12);
  const StoppingReport before(first);
  sweep.run();
  const SweepState state = state_of(sweep.records());
  const StoppingReport after(state);
  size_t ended = 0;
  for (const Trial& trial : first.trials())
    if (trial.has_ended()) {
      ++ended;
      CHECK(after.why(state.trials()[trial.number]) == before.why(trial));
    }
  CHECK(ended > 0);
}

TEST_CASE("stopping report: without early stopping, nothing is reported") {
  Sweep sweep;
  const SweepState state = sweep.run();
  const StoppingReport report(state);
  CHECK(report.is_empty());
  CHECK(report.why(state.trials()[0]).empty());
  CHECK(report.bracket_lines().empty());
  CHECK(report.to_json().is_null());
}

}  // namespace sweep_stopping_test
