#include "kml/sweep/engine/engine.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "sweep/engine/replay.h"
#include "sweep/spec/trial_template.h"
#include "sweep/tested_sweep.h"

namespace kml::sweep::engine_test {

TEST_CASE("sweep: runs each of its trials once, and finds the best") {
  Sweep sweep;
  const SweepState state = sweep.run();
  CHECK(state.end().reason == "all 20 trials are done");
  CHECK(sweep.server.made.size() == 20);
  CHECK(outcomes(state) == std::set<std::optional<Outcome>>{Outcome::complete});
  REQUIRE(state.best());
  for (const Trial& trial : state.trials()) CHECK(*state.trials()[*state.best()].value <= *trial.value);
  CHECK(*state.trials()[3].value ==
        doctest::Approx(std::pow(state.trials()[3].values["x"].get<double>() - 0.3, 2)));
}

TEST_CASE("sweep: messages about a sweep with one trial use the singular") {
  CHECK(Sweep(document_of({{"maxTrialCount", 1}})).run().end().reason == "its trial is done");
}

TEST_CASE(
    "sweep: killed after any step and resumed, a sweep runs the same trials as an uninterrupted one, each "
    "once") {
  Sweep whole;
  const SweepState expected = whole.run();
  Sweep broken;
  int engines = 0;
  for (int waits = 0;; ++waits, ++engines) {
    broken.server.waits_left = waits % 7;
    const SweepState state = broken.run();
    if (!state.end().reason.empty()) break;
    REQUIRE(engines < 1000);
  }
  CHECK(engines > 3);
  SweepState state;
  for (const Record& record : broken.records()) state.apply(record);
  REQUIRE(state.trials().size() == expected.trials().size());
  for (size_t i = 0; i < expected.trials().size(); ++i) {
    CHECK(state.trials()[i].values == expected.trials()[i].values);
    CHECK(state.trials()[i].value == expected.trials()[i].value);
  }
  CHECK(std::set<std::string>(broken.server.made.begin(), broken.server.made.end()).size() == 20);
  CHECK(broken.server.made.size() == 20);
}

TEST_CASE("sweep: a trial whose pod was preempted runs again, and the preemption is not a failure") {
  Sweep sweep;
  sweep.server.script = [](const TrialJob& job) {
    if (job.attempt >= 5) return parabola(job);
    TrialReport end = end_of(job, false);
    end.is_disrupted = true;
    return std::vector{report_of(job, TrialReport::Kind::running), end};
  };
  const SweepState state = sweep.run();
  CHECK(state.end().reason == "all 20 trials are done");
  CHECK(outcomes(state) == std::set<std::optional<Outcome>>{Outcome::complete});
  CHECK(state.trials()[0].job == "s-t00000-r0-a5");
  CHECK(state.trials()[0].failures == 0);
  CHECK(state.trials()[0].losses == 0);
  CHECK(state.nodes().bad().empty());
  CHECK(sweep.server.made.size() == 120);
}

TEST_CASE("sweep: values reported by an attempt are kept if the next one continues from its checkpoint") {
  for (const bool has_checkpoints : {false, true}) {
    CAPTURE(has_checkpoints);
    Sweep sweep(document_of({{"maxTrialCount", 1}, {"checkpointDir", has_checkpoints ? "/ckpt" : ""}}));
    sweep.server.script = [](const TrialJob& job) {
      TrialReport taken = end_of(job, false);
      taken.is_disrupted = true;
      if (job.attempt == 0) return std::vector{metric_of(job, 1, 5), metric_of(job, 2, 4), taken};
      return std::vector{end_of(job)};  // already complete
    };
    CHECK(sweep.run().trials()[0].outcome == (has_checkpoints ? Outcome::complete : Outcome::no_metric));
  }
}

TEST_CASE("sweep: the reason why a trial waits is known until it runs") {
  Sweep sweep;
  sweep.server.script = [](const TrialJob& job) {
    TrialReport wait = report_of(job, TrialReport::Kind::waiting);
    wait.cause = "not enough GPUs free on 2 nodes";
    std::vector<TrialReport> script = parabola(job);
    script.insert(script.begin(), wait);
    return script;
  };
  Journal journal(sweep.folder.path(), "test");
  ScriptedRunner runner(sweep.server);
  std::vector<size_t> waiting;
  Engine engine(
      journal, runner, system_clock(),
      {[&](const Engine& now) { waiting.push_back(now.waits().size()); }, [] { return StopWish::none; }});
  engine.run("test");
  CHECK(*std::max_element(waiting.begin(), waiting.end()) == 4);
  CHECK(waiting.back() == 0);
  CHECK(engine.state().end().reason == "all 20 trials are done");
}

TEST_CASE("sweep: a trial whose pods were preempted waits, and continues in the same job") {
  Sweep sweep;
  sweep.server.script = [](const TrialJob& job) {
    std::vector<TrialReport> script = parabola(job);
    TrialReport wait = report_of(job, TrialReport::Kind::waiting);
    wait.cause = "preempted by pre1";
    script.insert(script.begin(), {report_of(job, TrialReport::Kind::running), wait});
    return script;
  };
  const SweepState state = sweep.run();
  CHECK(state.end().reason == "all 20 trials are done");
  CHECK(sweep.server.made.size() == 20);
  std::string of_first;
  SweepState waits;
  bool was_seen = true;
  for (const Record& record : sweep.records()) {
    const Json line = to_json(record);
    const std::string kind = string_at(line, {"record"});
    waits.apply(record);
    if (int_at(line, {"trial"}, -1) != 0) continue;
    of_first += kind + " ";
    if (kind == "waiting") was_seen = waits.trials()[0].is_seen;
  }
  CHECK(of_first == "asked begun running waiting running ended ");
  CHECK(!was_seen);
}

TEST_CASE("sweep: a journal with an incomplete last line continues after the line before it") {
  Sweep sweep;
  sweep.server.waits_left = 5;
  sweep.run();
  const auto file = sweep.folder.path() / "journal.jsonl";
  const std::string text = read_file(file);
  std::filesystem::resize_file(file, text.size() - 10);
  sweep.server.waits_left = 1 << 30;
  const SweepState state = sweep.run();
  CHECK(state.lists().ended.size() == 20);
  CHECK(sweep.server.made.size() == 20);
}

TEST_CASE("sweep: at most a hundred jobs are created per second") {
  Json document = document_of();
  document["spec"]["maxTrialCount"] = 250;
  document["spec"]["parallelTrialCount"] = 250;
  Sweep sweep(document);
  struct : Clock {
    Time now() const override { return time += std::chrono::milliseconds(1); }
    mutable Time time = {};
  } clock;
  struct Counting final : Runner {
    explicit Counting(ScriptedServer& server) : runner(server) {}
    void start(const std::vector<TrialJob>& jobs) override {
      batches.push_back(jobs.size());
      runner.start(jobs);
    }
    void stop(const std::string& job) override { runner.stop(job); }
    std::vector<TrialReport> wait(std::chrono::milliseconds limit) override { return runner.wait(limit); }
    ScriptedRunner runner;
    std::vector<size_t> batches;
  } runner(sweep.server);
  Journal journal(sweep.folder.path(), "test");
  Engine engine(journal, runner, clock, {});
  engine.run("test");
  CHECK(engine.state().lists().ended.size() == 250);
  CHECK(runner.batches.size() >= 3);
  CHECK(*std::max_element(runner.batches.begin(), runner.batches.end()) == 100);
}

TEST_CASE("journal: until its writer stops, readers can find out who writes it") {
  const TemporaryFolder folder;
  CHECK_FALSE(writer_of(folder.path()));
  {
    const Journal journal(folder.path(), "process 7");
    CHECK(writer_of(folder.path()) == "process 7");
  }
  CHECK_FALSE(writer_of(folder.path()));
}

TEST_CASE("sweep: a second engine is rejected, and the error names the first") {
  Sweep sweep;
  const Journal journal(sweep.folder.path(), "process 7 of ann");
  try {
    const Journal second(sweep.folder.path(), "process 8");
    FAIL("it was let in");
  } catch (const Error& error) {
    CHECK(error.why == "by process 7 of ann");
  }
}

TEST_CASE("sweep: NaN is never the best, and a trial that reports nothing has no value") {
  Sweep sweep;
  sweep.server.script = [](const TrialJob& job) {
    if (job.trial == 0) return std::vector{metric_of(job, 1, std::nan("")), end_of(job)};
    if (job.trial == 1) return std::vector{metric_of(job, 1, 0.1, "los"), end_of(job)};
    if (job.trial == 2) return std::vector{metric_of(job, 1, -HUGE_VAL), end_of(job)};
    return parabola(job);
  };
  const SweepState state = sweep.run();
  CHECK(state.trials()[0].outcome == Outcome::diverged);
  CHECK(state.trials()[1].outcome == Outcome::no_metric);
  CHECK(state.trials()[1].cause == "it finished without loss; it reported los: did you mean \"los\"?");
  CHECK(state.trials()[2].outcome == Outcome::diverged);
  REQUIRE(state.best());
  CHECK(*state.best() > 2);
}

TEST_CASE("sweep: a failed trial is retried as often as requested, except when it was out of memory") {
  Sweep sweep(document_of({{"retry", {{"failures", 1}}}}));
  sweep.server.script = [](const TrialJob& job) {
    if (job.trial == 4 && job.attempt == 0) return std::vector{end_of(job, false)};
    if (job.trial == 5) {
      TrialReport end = end_of(job, false);
      end.out_of_memory = true;
      return std::vector{end};
    }
    if (job.trial == 6) return std::vector{end_of(job, false)};
    return parabola(job);
  };
  const SweepState state = sweep.run();
  CHECK(state.trials()[4].outcome == Outcome::complete);
  CHECK(state.trials()[4].job == "s-t00004-r0-a1");
  CHECK(state.trials()[5].outcome == Outcome::out_of_memory);
  CHECK(state.trials()[5].attempt == 0);
  CHECK(state.trials()[6].outcome == Outcome::failed);
  CHECK(state.trials()[6].attempt == 1);
}

TEST_CASE("sweep: ends early if the first trials fail, or several in a row later") {
  Sweep first;
  first.server.script = [](const TrialJob& job) { return std::vector{end_of(job, false)}; };
  SweepState state = first.run();
  CHECK(state.end().reason.find("trials failed one after another: exit code 1") != std::string::npos);
  CHECK(first.server.made.size() < 10);

  Sweep later;
  later.server.script = [](const TrialJob& job) {
    return job.trial < 6 ? parabola(job) : std::vector{end_of(job, false)};
  };
  state = later.run();
  CHECK(later.server.made.size() < 20);
  CHECK(state.best());
}

TEST_CASE("sweep: the file may set how many trials may fail") {
  for (const int most : {0, 1, 7, 19}) {
    Sweep sweep(document_of({{"maxFailedTrialCount", most}, {"parallelTrialCount", 1}}));
    sweep.server.script = [](const TrialJob& job) { return std::vector{end_of(job, false)}; };
    const SweepState state = sweep.run();
    CAPTURE(most);
    CHECK(sweep.server.made.size() == static_cast<size_t>(most) + 1);
    CHECK(state.end().reason ==
          "more than " + std::to_string(most) + (most == 1 ? " trial failed" : " trials failed"));
  }
}

TEST_CASE("sweep: a deleted job is created again with the same parameters") {
  Sweep sweep;
  sweep.server.script = [](const TrialJob& job) {
    if (job.trial == 2 && job.attempt == 0) return std::vector{report_of(job, TrialReport::Kind::gone)};
    return parabola(job);
  };
  const SweepState state = sweep.run();
  CHECK(state.trials()[2].outcome == Outcome::complete);
  CHECK(state.trials()[2].losses == 1);
  CHECK(sweep.server.jobs.at("s-t00002-r0-a1").job.values == state.trials()[2].values);
}

TEST_CASE("sweep: ends at its goal, and stops running trials") {
  Sweep sweep(
      document_of({{"maxTrialCount", 1000},
                   {"objective", {{"type", "minimize"}, {"objectiveMetricName", "loss"}, {"goal", 0.01}}}}));
  const SweepState state = sweep.run();
  CHECK(state.end().reason == "the goal is reached");
  CHECK(state.trials().size() < 1000);
  CHECK(state.lists().running.empty());
}

TEST_CASE("sweep: starts no more trials once the next one would exceed the GPU hours") {
  Sweep sweep(document_of({{"budget", {{"gpuHours", 1}}}}));
  sweep.server.script = [](const TrialJob& job) {
    std::vector<TrialReport> reports = parabola(job);
    reports.back().gpu_seconds = 500;
    return reports;
  };
  const SweepState state = sweep.run();
  CHECK(state.end().reason == "the GPU hours are used up");
  CHECK(state.trials().size() == 7);
  CHECK(state.gpu_seconds() == 3500);
}

TEST_CASE("sweep: starts no trial that would use more than the remaining GPU hours") {
  Sweep sweep(
      document_of({{"budget", {{"gpuHours", 10}}}, {"maxTrialCount", 100}, {"parallelTrialCount", 8}}));
  sweep.server.script = [](const TrialJob& job) {
    std::vector<TrialReport> reports = parabola(job);
    reports.back().gpu_seconds = 3600;
    return reports;
  };
  const SweepState state = sweep.run();
  CHECK(state.end().reason == "the GPU hours are used up");
  CHECK(state.gpu_seconds() == 10 * 3600);
}

TEST_CASE("sweep: a replay proposes the same trials, and finds what was changed") {
  Sweep sweep;
  sweep.run();
  std::vector<Record> records = sweep.records();
  Replay told = replay(records);
  CHECK(told.proposals == 20);
  CHECK(told.differences.empty());
  for (Record& record : records)
    if (auto* asked = std::get_if<record::Asked>(&record.what); asked && asked->trial == 7)
      asked->values["x"] = 0.125;
  told = replay(records);
  CHECK(told.differences.size() == 1);
}

TEST_CASE(
    "sweep: a deterministic sweep tries the same trials in whatever order results arrive, even if killed") {
  const Json document = document_of(
      {{"algorithm", {{"algorithmName", "tpe"}}}, {"deterministic", true}, {"maxTrialCount", 30}});
  std::vector<Json> first;
  for (const unsigned order : {0U, 1U, 2U}) {
    CAPTURE(order);
    Sweep sweep(document);
    sweep.server.script = [&](const TrialJob& job) {
      std::vector<TrialReport> script = parabola(job);
      const size_t delay = (job.trial * 7 + order * 3) % 5;
      script.insert(script.begin(), order == 0 ? 0 : delay, report_of(job, TrialReport::Kind::running));
      return script;
    };
    while (true) {
      if (order == 2) sweep.server.waits_left = 11;
      if (!sweep.run().end().reason.empty()) break;
    }
    std::vector<Json> tried;
    for (const Record& record : sweep.records())
      if (const auto* asked = std::get_if<record::Asked>(&record.what)) tried.push_back(asked->values);
    REQUIRE(tried.size() == 30);
    if (first.empty()) first = tried;
    CHECK(tried == first);
    const Replay told = replay(sweep.records());
    CHECK(told.proposals == 30);
    CHECK(told.differences.empty());
  }
}

}  // namespace kml::sweep::engine_test
