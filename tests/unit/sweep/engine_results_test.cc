#include <cmath>

#include "sweep/engine/replay.h"
#include "sweep/tested_sweep.h"

namespace kml::sweep::engine_results_test {

namespace {

Json early(const char* mode, Json more = Json::object()) {
  Json spec = {{"maxTrialCount", 8},
               {"parallelTrialCount", 1},
               {"checkpointDir", "/ckpt"},
               {"fidelity", {{"metric", "step"}, {"min", 1}, {"max", 4}, {"eta", 2}}},
               {"earlyStopping", {{"algorithmName", "asha"}, {"mode", mode}}}};
  spec.update(more);
  return document_of(spec);
}

const Json kBest = {{"objective",
                     {{"type", "minimize"},
                      {"objectiveMetricName", "loss"},
                      {"metricStrategies", {{{"name", "loss"}, {"value", "min"}}}}}}};

/// Reports with these losses for the steps after `from`, the step of the trial's checkpoint.
std::vector<TrialReport> steps(const TrialJob& job, int from, std::vector<double> losses) {
  std::vector<TrialReport> script = {report_of(job, TrialReport::Kind::running)};
  for (const double loss : losses) script.push_back(metric_of(job, ++from, loss));
  script.push_back(end_of(job));
  return script;
}

SweepState state_of(const Sweep& sweep) {
  SweepState state;
  for (const Record& record : sweep.records()) state.apply(record);
  return state;
}

}  // namespace

TEST_CASE("results: a long curve keeps its best point, and the points at the rungs") {
  const Objective objective;
  Progress progress;
  for (int step = 1; step <= 1000; ++step)
    progress.add({.metric = "loss"}, "loss", step, step == 500 ? -1 : 1.0 / step);
  const Curve curve = progress.curve(objective, {4, 16, 64});
  CHECK(curve.size() <= 50);
  CHECK(curve.front().first == 1);
  CHECK(curve.back().first == 1000);
  for (const double kept : {4.0, 16.0, 64.0, 500.0})
    CHECK(std::count_if(curve.begin(), curve.end(), [&](const auto& point) { return point.first == kept; }) ==
          1);
}

TEST_CASE("results: a long curve has at most 50 points or, with many rungs, three more than rungs") {
  for (const int rungs : {40, 48, 49, 50, 120}) {
    CAPTURE(rungs);
    Progress progress;
    std::vector<double> ladder;
    for (int step = 1; step <= 1000; ++step) progress.add({.metric = "loss"}, "loss", step, 1.0 / step);
    for (int rung = 1; rung <= rungs; ++rung) ladder.push_back(8.0 * rung);
    const Curve curve = progress.curve({}, ladder);
    CHECK(curve.front().first == 1);
    CHECK(curve.back().first == 1000);
    CHECK(curve.size() <= static_cast<size_t>(std::max(rungs + 3, 50)));
  }
}

TEST_CASE("results: the last reported value is used, whatever its step") {
  Sweep sweep(document_of({{"maxTrialCount", 1}}));
  sweep.server.script = [](const TrialJob& job) {
    return std::vector{metric_of(job, 300, 0.9), metric_of(job, 1, 0.2), end_of(job)};
  };
  CHECK(sweep.run().trials()[0].value == 0.2);
}

TEST_CASE(
    "results: the best value may come from any attempt in a chain of checkpoints, whichever engine ran the "
    "attempt") {
  const auto script = [](const TrialJob& job) {
    if (job.trial > 0) return steps(job, 0, {9});
    const std::vector<std::vector<double>> of_rungs = {{0.4}, {0.5}, {0.7, 0.6}};
    return steps(job, static_cast<int>(std::pow(2, job.rung) / 2),
                 of_rungs.at(static_cast<size_t>(job.rung)));
  };
  for (const int kill_after : {1 << 30, 3, 9, 14}) {
    CAPTURE(kill_after);
    Sweep sweep(early("promote", kBest));
    sweep.server.script = script;
    sweep.server.waits_left = kill_after;
    sweep.run();
    sweep.server.waits_left = 1 << 30;
    if (state_of(sweep).end().reason.empty()) sweep.run();
    const Trial best = state_of(sweep).trials()[0];
    CHECK(best.outcome == Outcome::complete);
    CHECK(best.value.value_or(-1) == 0.4);
    CHECK(best.curve == Curve{{1, 0.4}, {2, 0.5}, {3, 0.7}, {4, 0.6}});
  }
}

TEST_CASE("results: a rung that was passed is not judged again by later values") {
  for (const bool is_killed : {false, true}) {
    CAPTURE(is_killed);
    Sweep sweep(early("stop", {{"maxTrialCount", 6}, {"parallelTrialCount", 2}}));
    sweep.server.script = [](const TrialJob& job) {
      // The first trial is slow, bad at first, and the best in the end. It passes rung 1 before all others.
      if (job.trial == 0) {
        std::vector<TrialReport> script = steps(job, 0, {9});
        script.pop_back();
        script.insert(script.end(), 30, report_of(job, TrialReport::Kind::running));
        for (int step = 2; step <= 4; ++step) script.push_back(metric_of(job, step, 0.1));
        script.push_back(end_of(job));
        return script;
      }
      return steps(job, 0, {1.0 + static_cast<double>(job.trial), 2, 2, 2});
    };
    if (is_killed) {
      sweep.server.waits_left = 25;
      REQUIRE(sweep.run().lists().ended.size() > 3);
      sweep.server.waits_left = 1 << 30;
    }
    const SweepState state = sweep.run();
    CHECK(state.trials()[0].outcome == Outcome::complete);
    CHECK(*state.best() == 0);
  }
}

TEST_CASE("results: a trial that was stopped at a rung stays stopped, whatever the next engine knows") {
  Sweep sweep(early("stop", {{"parallelTrialCount", 2}, {"maxTrialCount", 2}}));
  sweep.server.script = [](const TrialJob& job) {
    return steps(job, 0, {1.0 + static_cast<double>(job.trial), 1, 1, 1});
  };
  sweep.server.waits_left = 3;
  sweep.run();
  {
    Journal journal(sweep.folder.path(), "test");
    journal.add({system_clock().now(), record::Rung{1, 1, 2, record::Rung::Decision::stop}});
    journal.commit();
  }
  sweep.server.waits_left = 1 << 30;
  CHECK(sweep.run().trials()[1].outcome == Outcome::pruned);
}

TEST_CASE("results: a trial that finished before it could be stopped is complete") {
  Sweep sweep(
      document_of({{"maxTrialCount", 4},
                   {"objective", {{"type", "minimize"}, {"objectiveMetricName", "loss"}, {"goal", 0.5}}}}));
  sweep.server.script = [](const TrialJob& job) {
    if (job.trial == 0) return std::vector{metric_of(job, 1, 0.4), end_of(job)};
    return std::vector{metric_of(job, 1, 0.1), report_of(job, TrialReport::Kind::running), end_of(job)};
  };
  class Faster : public Runner {  // the trials end before the engine stops them
   public:
    explicit Faster(ScriptedServer& server) : runner_(server) {}
    void start(const std::vector<TrialJob>& jobs) override { runner_.start(jobs); }
    void stop(const std::string&) override {}
    std::vector<TrialReport> wait(std::chrono::milliseconds limit) override { return runner_.wait(limit); }

   private:
    ScriptedRunner runner_;
  };
  Journal journal(sweep.folder.path(), "test");
  Faster runner(sweep.server);
  Engine engine(journal, runner, system_clock(), {});
  engine.run("test");
  CHECK(engine.state().end().reason == "the goal is reached");
  CHECK(engine.state().lists().count(Outcome::complete) == 4);
}

TEST_CASE("results: reported values outlive the engine if the next attempt continues from a checkpoint") {
  for (const int kill_after : {1 << 30, 4}) {
    CAPTURE(kill_after);
    Sweep sweep(document_of({{"maxTrialCount", 1}, {"checkpointDir", "/ckpt"}}));
    sweep.server.script = [](const TrialJob& job) {
      TrialReport taken = end_of(job, false);
      taken.is_disrupted = true;
      if (job.attempt == 0) return std::vector{metric_of(job, 1, 5), metric_of(job, 2, 4), taken};
      return std::vector{report_of(job, TrialReport::Kind::running), end_of(job)};  // already complete
    };
    sweep.server.waits_left = kill_after;
    sweep.run();
    sweep.server.waits_left = 1 << 30;
    if (state_of(sweep).end().reason.empty()) sweep.run();
    CHECK(state_of(sweep).trials()[0].outcome == Outcome::complete);
    CHECK(state_of(sweep).trials()[0].value == 4);
  }
}

TEST_CASE(
    "results: trials that wait at a rung when a sweep ends are promoted when it is resumed with more "
    "trials") {
  const auto script = [](const TrialJob& job) {
    return steps(job, static_cast<int>(std::pow(2, job.rung) / 2),
                 std::vector<double>(job.rung == 0   ? 1
                                     : job.rung == 1 ? 1
                                                     : 2,
                                     static_cast<double>(job.trial)));
  };
  Sweep sweep(early("promote")), whole(early("promote", {{"maxTrialCount", 32}}));
  sweep.server.script = whole.server.script = script;
  SweepState state = sweep.run();
  CHECK(state.lists().paused.empty());
  const size_t pruned = state.lists().count(Outcome::pruned);
  REQUIRE(pruned > 3);
  sweep.change(early("promote", {{"maxTrialCount", 32}}));
  state = sweep.run();
  CHECK(state.lists().ended.size() == 32);
  // The trials that were best when the sweep first ended are promoted, as they would be without that end.
  CHECK(state.lists().count(Outcome::complete) == whole.run().lists().count(Outcome::complete));
  CHECK(state_of(sweep).lists().count(Outcome::pruned) == state.lists().count(Outcome::pruned));
}

TEST_CASE("results: samplers learn from trials that wait at a rung, and a replay agrees") {
  for (const char* algorithm : {"multivariate-tpe", "bayesianoptimization", "cmaes"}) {
    CAPTURE(algorithm);
    const auto spec = [&](const char* name, int parallel) {
      return early("promote", {{"maxTrialCount", 40},
                               {"parallelTrialCount", parallel},
                               {"fidelity", {{"metric", "step"}, {"min", 1}, {"max", 64}, {"eta", 4}}},
                               {"algorithm", {{"algorithmName", name}}}});
    };
    const auto script = [](const TrialJob& job) {
      const double from = job.rung == 0 ? 0 : std::pow(4, job.rung - 1), until = *job.until;
      std::vector<double> losses;
      for (double step = from + 1; step <= until; ++step)
        losses.push_back((x_of(job) - 0.3) * (x_of(job) - 0.3) + 1 / step);
      return steps(job, static_cast<int>(from), losses);
    };
    Sweep sweep(spec(algorithm, 4));
    sweep.server.script = script;
    sweep.server.waits_left = 25;
    sweep.run();
    sweep.server.waits_left = 1 << 30;
    const SweepState state = sweep.run();
    CHECK(state.lists().ended.size() == 40);
    const auto near = std::count_if(
        state.trials().begin() + 20, state.trials().end(),
        [](const Trial& trial) { return std::abs(trial.values["x"].get<double>() - 0.3) < 0.25; });
    CHECK(near > 10);  // more than 10 of the 20 trials are near; random draws would give 5
    CHECK(replay(sweep.records()).differences.empty());
  }
}

TEST_CASE("results: trials that ran when the goal was reached restart if a stricter goal is set") {
  const auto with_goal = [](double goal) {
    return document_of(
        {{"maxTrialCount", 4},
         {"objective", {{"type", "minimize"}, {"objectiveMetricName", "loss"}, {"goal", goal}}}});
  };
  Sweep sweep(with_goal(0.5));
  sweep.server.script = [](const TrialJob& job) {
    const double loss = job.trial == 0 ? 0.4 : 0.1;
    if (job.trial == 0 || job.attempt > 0) return std::vector{metric_of(job, 1, loss), end_of(job)};
    return std::vector{metric_of(job, 1, 2)};
  };
  SweepState state = sweep.run();
  CHECK(state.end().reason == "the goal is reached");
  CHECK(state.lists().withdrawn == std::set<std::uint64_t>{1, 2, 3});
  sweep.change(with_goal(0.01));
  state = sweep.run();
  CHECK(state.lists().count(Outcome::complete) == 4);
  CHECK(state.trials()[*state.best()].value == 0.1);
}

TEST_CASE("results: a stopped trial is not started again, although its log was lost") {
  Sweep sweep(document_of({{"maxTrialCount", 2}, {"parallelTrialCount", 2}}));
  sweep.server.script = [](const TrialJob& job) {
    return std::vector{report_of(job, TrialReport::Kind::running)};
  };
  class Lost : public Runner {  // trials succeed, but their logs are gone
   public:
    explicit Lost(ScriptedServer& server) : runner_(server) {}
    void start(const std::vector<TrialJob>& jobs) override {
      runner_.start(jobs);
      for (const TrialJob& job : jobs) made.push_back(job.name);
    }
    void stop(const std::string& job) override {
      TrialReport report;
      report.kind = TrialReport::Kind::ended;
      report.job = job;
      report.succeeded = report.lost_lines = true;
      reports_.push_back(report);
    }
    std::vector<TrialReport> wait(std::chrono::milliseconds limit) override {
      return reports_.empty() ? runner_.wait(limit) : std::exchange(reports_, {});
    }
    std::vector<std::string> made;

   private:
    ScriptedRunner runner_;
    std::vector<TrialReport> reports_;
  };
  Journal journal(sweep.folder.path(), "test");
  Lost runner(sweep.server);
  int steps_left = 3;
  Engine engine(journal, runner, system_clock(),
                {.stop_wish = [&] { return steps_left-- > 0 ? StopWish::none : StopWish::now; }});
  engine.run("test");
  CHECK(engine.state().lists().withdrawn.size() == 2);
  CHECK(runner.made.size() == 2);
}

TEST_CASE(
    "results: an indexed sweep can be stopped even if its engine was killed before it recorded the Job") {
  Sweep sweep(document_of(kIndexed));
  {
    Journal journal(sweep.folder.path(), "test");
    for (std::uint64_t trial = 0; trial < 6; ++trial)
      journal.add({system_clock().now(), record::Asked{trial, {{"x", static_cast<double>(trial) / 10}}}});
    journal.commit();
  }
  const SweepState state = sweep.run_and_stop(0);
  CHECK(state.end().reason == "stopped");
  CHECK(state.lists().withdrawn.size() == 6);
  CHECK(sweep.server.made.empty());
  CHECK(sweep.run().lists().count(Outcome::complete) == 6);
}

TEST_CASE("results: a failure is counted once, even if the journal was cut just after it") {
  Sweep sweep(document_of({{"maxTrialCount", 1}, {"retry", {{"failures", 1}}}}));
  sweep.server.script = [](const TrialJob& job) {
    TrialReport failed = end_of(job, false);
    failed.gpu_seconds = 10;
    return job.attempt == 0 ? std::vector{failed} : parabola(job);
  };
  sweep.run();
  std::string text;
  for (const Record& record : sweep.records()) {
    text += to_json(record).dump() + "\n";
    if (std::holds_alternative<record::Failed>(record.what)) break;
  }
  write_file_atomically(sweep.folder.path() / "journal.jsonl", text);
  const SweepState state = sweep.run();
  CHECK(state.trials()[0].outcome == Outcome::complete);
  CHECK(state.trials()[0].failures == 1);
  CHECK(state.trials()[0].attempt == 1);
  CHECK(state.gpu_seconds() == 10);
}

TEST_CASE("results: the server's clock, even if it is wrong, uses up none of the sweep's time budget") {
  Sweep sweep(
      document_of({{"maxTrialCount", 6}, {"parallelTrialCount", 1}, {"budget", {{"wallTime", "90m"}}}}));
  sweep.server.script = [](const TrialJob& job) {
    std::vector<TrialReport> script = parabola(job);
    script[0].time = system_clock().now() + std::chrono::hours(2);
    return script;
  };
  sweep.server.waits_left = 6;
  sweep.run();
  sweep.server.waits_left = 1 << 30;
  CHECK(sweep.run().end().reason == "all 6 trials are done");
}

TEST_CASE(
    "results: a trial whose log was not read to its end is repeated; if that fails each time, it has no "
    "result") {
  for (const int good_attempt : {1, 99}) {
    CAPTURE(good_attempt);
    Sweep sweep(document_of({{"maxTrialCount", 1}}));
    sweep.server.script = [&](const TrialJob& job) {
      TrialReport end = end_of(job);
      end.lost_lines = job.attempt < good_attempt;
      return std::vector{metric_of(job, 1, end.lost_lines ? 9 : 0.5), end};
    };
    const Trial trial = sweep.run().trials()[0];
    CHECK(trial.outcome == (good_attempt == 1 ? Outcome::complete : Outcome::lost));
    if (good_attempt == 1) CHECK(trial.value == 0.5);
    CHECK(trial.cause == (good_attempt == 1 ? "" : "its log could not be read to the end"));
    CHECK(trial.failures == 0);
  }
}

TEST_CASE("results: without a checkpoint, values of a pod that was replaced are dropped") {
  for (const bool has_checkpoints : {false, true}) {
    CAPTURE(has_checkpoints);
    Sweep sweep(document_of({{"maxTrialCount", 1}, {"checkpointDir", has_checkpoints ? "/ckpt" : ""}}));
    sweep.server.script = [](const TrialJob& job) {
      TrialReport anew = report_of(job, TrialReport::Kind::running);
      anew.begun_anew = true;
      return std::vector{metric_of(job, 5, 0.1), anew, metric_of(job, 6, 0.3), end_of(job)};
    };
    CHECK(sweep.run().trials()[0].curve.size() == (has_checkpoints ? 2 : 1));
  }
}

TEST_CASE("results: the reason why a sweep ended is not shown as the cause of a pruned trial") {
  Sweep sweep(early("stop", {{"maxTrialCount", 4}, {"parallelTrialCount", 2}}));
  sweep.server.script = [](const TrialJob& job) {
    return steps(job, 0, std::vector<double>(4, static_cast<double>(job.trial)));
  };
  const SweepState state = sweep.run();
  REQUIRE(state.trials()[3].outcome == Outcome::pruned);
  CHECK(state.trials()[3].cause == "");
}

}  // namespace kml::sweep::engine_results_test
