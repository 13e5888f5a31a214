#include "sweep/engine/replay.h"
#include "sweep/tested_sweep.h"

namespace kml::sweep::engine_stop_test {

namespace {

/// The settings of a sweep that stops trials early, in this mode.
Json early(const char* mode) {
  return {{"maxTrialCount", 12},
          {"checkpointDir", "/ckpt"},
          {"fidelity", {{"metric", "step"}, {"min", 1}, {"max", 4}, {"eta", 2}}},
          {"earlyStopping", {{"algorithmName", "asha"}, {"mode", mode}}}};
}

/// Reports a loss for each step, up to the job's own end.
std::vector<TrialReport> steps_until(const TrialJob& job) {
  std::vector<TrialReport> script = {report_of(job, TrialReport::Kind::running)};
  for (int step = 1; step <= job.until.value_or(4); ++step)
    script.push_back(metric_of(job, step, x_of(job) / step));
  script.push_back(end_of(job));
  return script;
}

}  // namespace

TEST_CASE("stop: running trials are stopped, and the next engine restarts them") {
  for (const bool is_indexed : {false, true}) {
    CAPTURE(is_indexed);
    Sweep sweep(document_of(is_indexed ? kIndexed : Json{{"maxTrialCount", 6}, {"parallelTrialCount", 6}}));
    sweep.server.script = [](const TrialJob& job) {
      const bool is_first = job.attempt == 0 && !job.name.starts_with("s-w");
      if (!is_first || job.trial == 0) return parabola(job);
      return std::vector{job.trial < 4 ? report_of(job, TrialReport::Kind::running) : metric_of(job, 1, 5)};
    };
    SweepState state = sweep.run_and_stop(6);
    CHECK(state.end().reason == "stopped");
    CHECK(state.lists().withdrawn == std::set<std::uint64_t>{1, 2, 3, 4, 5});
    CHECK(state.lists().running.empty());
    state = sweep.run();
    CHECK(state.end().reason == "all 6 trials are done");
    CHECK(state.lists().withdrawn.empty());
    CHECK(outcomes(state) == std::set<std::optional<Outcome>>{Outcome::complete});
    CHECK(state.trials()[5].job == (is_indexed ? "s-w1-4" : "s-t00005-r0-a1"));
    CHECK(sweep.server.made.size() == 11);
    CHECK(replay(sweep.records()).differences.empty());
  }
}

TEST_CASE("stop: running trials are stopped even if all trials have started") {
  Sweep sweep(document_of({{"maxTrialCount", 4}}));
  sweep.server.script = [](const TrialJob& job) {
    return std::vector{report_of(job, TrialReport::Kind::running)};
  };
  const SweepState state = sweep.run_and_stop(3);
  CHECK(state.end().reason == "stopped");
  CHECK(state.lists().withdrawn.size() == 4);
}

TEST_CASE("stop: with --drain, running trials continue to their ends, and no others start") {
  Sweep sweep;
  SweepState state = sweep.run_and_stop(2, StopWish::drain);
  CHECK(state.end().reason == "stopped");
  CHECK(state.trials().size() == 4);
  CHECK(outcomes(state) == std::set<std::optional<Outcome>>{Outcome::complete});
  state = sweep.run();
  CHECK(state.end().reason == "all 20 trials are done");
  CHECK(sweep.server.made.size() == 20);
}

TEST_CASE("stop: trials that wait for their promotion keep waiting, and the next engine promotes them") {
  Sweep sweep(document_of(early("promote")));
  sweep.server.script = steps_until;
  SweepState state = sweep.run_and_stop(4);
  REQUIRE(state.end().reason == "stopped");
  REQUIRE(!state.lists().paused.empty());
  const std::set<std::uint64_t> paused = state.lists().paused;
  state = sweep.run();
  CHECK(state.end().reason == "all 12 trials are done");
  CHECK(state.lists().paused.empty());
  CHECK(
      std::any_of(paused.begin(), paused.end(), [&](auto trial) { return state.trials()[trial].rung > 0; }));
}

TEST_CASE(
    "stop: if the first trials fail, no more start, but running ones continue; if one reports a value, the "
    "sweep continues") {
  Sweep sweep(document_of({{"maxTrialCount", 10}}));
  sweep.server.script = [](const TrialJob& job) {
    if (job.trial % 4 != 0) return std::vector{end_of(job, false)};
    std::vector<TrialReport> script = parabola(job);
    script.insert(script.begin(), 6, report_of(job, TrialReport::Kind::running));
    return script;
  };
  const SweepState state = sweep.run();
  CHECK(state.end().reason == "all 10 trials are done");
  CHECK(state.lists().count(Outcome::complete) == 3);
}

TEST_CASE("stop: an indexed sweep whose first trials all fail cancels those that have not run") {
  Json more = kIndexed;
  more["maxTrialCount"] = 40;
  Sweep sweep(document_of(more));
  sweep.server.script = [](const TrialJob& job) {
    if (job.trial >= 3) return std::vector{report_of(job, TrialReport::Kind::running)};
    TrialReport end = end_of(job, false);
    end.last_lines = {"Traceback", "ImportError: torch", ""};
    return std::vector{end};
  };
  const SweepState state = sweep.run();
  CHECK(state.end().reason == "3 trials failed one after another: exit code 1: ImportError: torch");
  CHECK(state.lists().withdrawn.size() == 37);
}

TEST_CASE("stop: a sweep whose trials all failed continues when it is resumed with a fix") {
  Sweep sweep(document_of({{"maxTrialCount", 12}, {"parallelTrialCount", 1}}));
  bool is_mended = false;
  sweep.server.script = [&](const TrialJob& job) {
    return is_mended ? parabola(job) : std::vector{end_of(job, false)};
  };
  SweepState state = sweep.run();
  CHECK(state.end().reason == "3 trials failed one after another: exit code 1");
  CHECK(state.trials().size() == 3);
  is_mended = true;
  state = sweep.run();
  CHECK(state.end().reason == "all 12 trials are done");
  CHECK(state.lists().count(Outcome::complete) == 9);
}

TEST_CASE(
    "stop: killed after any step and resumed, a sweep that stops trials early loses none and runs none "
    "twice") {
  for (const char* mode : {"stop", "promote"}) {
    for (int steps = 0; steps < 24; ++steps) {
      CAPTURE(mode);
      CAPTURE(steps);
      Sweep sweep(document_of(early(mode)));
      sweep.server.script = steps_until;
      sweep.server.waits_left = steps;
      sweep.run();
      sweep.server.waits_left = 1 << 30;
      const SweepState state = sweep.run();
      CHECK(state.end().reason == "all 12 trials are done");
      CHECK(state.lists().ended.size() == 12);
      CHECK(state.lists().count(Outcome::complete) > 0);
      CHECK(state.lists().count(Outcome::complete) + state.lists().count(Outcome::pruned) == 12);
      CHECK(std::set(sweep.server.made.begin(), sweep.server.made.end()).size() == sweep.server.made.size());
      CHECK(replay(sweep.records()).differences.empty());
    }
  }
}

TEST_CASE(
    "resume: with more trials, auto still selects the same algorithm as at first, and a replay agrees") {
  const auto grid_of = [](int trials) {
    Json document = document_of({{"maxTrialCount", trials}, {"algorithm", {{"algorithmName", "auto"}}}});
    document["spec"]["parameters"][0] = {
        {"name", "x"}, {"parameterType", "int"}, {"feasibleSpace", {{"min", 1}, {"max", 8}}}};
    return document;
  };
  Sweep sweep(grid_of(5));
  sweep.run();
  sweep.change(grid_of(8));
  const SweepState state = sweep.run();
  std::set<int> tried;
  for (const Trial& trial : state.trials()) tried.insert(trial.values["x"].get<int>());
  CHECK(tried.size() == 8);
  CHECK(state.algorithm() == "bayesianoptimization");
  CHECK(replay(sweep.records()).differences.empty());
}

TEST_CASE("resume: a deterministic sweep with more trials at once agrees with its replay") {
  const auto with = [](int trials, int parallel) {
    return document_of({{"algorithm", {{"algorithmName", "tpe"}}},
                        {"deterministic", true},
                        {"maxTrialCount", trials},
                        {"parallelTrialCount", parallel}});
  };
  Sweep sweep(with(24, 2));
  sweep.run();
  sweep.change(with(40, 6));
  CHECK(sweep.run().trials().size() == 40);
  const Replay told = replay(sweep.records());
  CHECK(told.proposals == 40);
  CHECK(told.differences.empty());
}

TEST_CASE("stop: a trial whose value at a rung is not a number has diverged") {
  Sweep sweep(document_of(early("stop")));
  sweep.server.script = [](const TrialJob& job) {
    if (job.trial != 5) return steps_until(job);
    return std::vector{metric_of(job, 1, std::nan("")), metric_of(job, 2, std::nan("")), end_of(job)};
  };
  CHECK(sweep.run().trials()[5].outcome == Outcome::diverged);
}

}  // namespace kml::sweep::engine_stop_test
