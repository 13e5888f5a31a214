#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "sweep/engine/replay.h"
#include "sweep/tested_sweep.h"

namespace kml::sweep::engine_faults_test {

namespace {

TrialReport on(const char* node, TrialReport report) {
  report.node = node;
  return report;
}

/// Returns these times in order, and then always the last one.
struct FakeClock final : Clock {
  explicit FakeClock(std::vector<Time> all) : times(std::move(all)) {}
  Time now() const override { return times[std::min(asked++, times.size() - 1)]; }
  std::vector<Time> times;
  mutable size_t asked = 0;
};

const Time kNoon = *parse_rfc3339("2026-11-22T12:00:00Z");

}  // namespace

TEST_CASE("faults: if all trials diverge, the sweep finishes, and none is the best") {
  for (const char* algorithm : {"random", "tpe", "multivariate-tpe", "bayesianoptimization", "cmaes"}) {
    CAPTURE(algorithm);
    Json document = document_of({{"algorithm", {{"algorithmName", algorithm}}}});
    document["spec"]["parameters"].push_back(document["spec"]["parameters"][0]);
    document["spec"]["parameters"][1]["name"] = "y";
    Sweep sweep(document);
    sweep.server.script = [](const TrialJob& job) {
      return std::vector{metric_of(job, 1, job.trial % 2 ? HUGE_VAL : std::nan("")), end_of(job)};
    };
    const SweepState state = sweep.run();
    CHECK(state.end().reason == "all 20 trials are done");
    CHECK(outcomes(state) == std::set<std::optional<Outcome>>{Outcome::diverged});
    CHECK_FALSE(state.best());
    CHECK(replay(sweep.records()).differences.empty());
  }
}

TEST_CASE(
    "faults: a trial that diverges midway has its last value, or its best one if the objective asks for "
    "that") {
  for (const char* strategy : {"latest", "best"}) {
    CAPTURE(strategy);
    Sweep sweep(document_of(
        {{"objective", {{"type", "minimize"}, {"objectiveMetricName", "loss"}, {"strategy", strategy}}}}));
    sweep.server.script = [](const TrialJob& job) {
      if (job.trial != 2) return parabola(job);
      return std::vector{metric_of(job, 1, -5), metric_of(job, 2, std::nan("")), end_of(job)};
    };
    const SweepState state = sweep.run();
    CHECK(state.trials()[2].outcome ==
          (strategy == std::string("best") ? Outcome::complete : Outcome::diverged));
    CHECK((*state.best() == 2) == (strategy == std::string("best")));
  }
}

TEST_CASE("faults: a trial without its metric is shown with the metrics it printed, and the nearest name") {
  Sweep sweep(document_of({{"maxTrialCount", 1}}));
  sweep.server.script = [](const TrialJob& job) {
    TrialReport end = end_of(job);
    end.last_lines = {"epoch 1", "val_los=0.5"};
    return std::vector{metric_of(job, 1, 0.5, "val_los"), metric_of(job, 1, 0.5, "los"), end};
  };
  CHECK(sweep.run().trials()[0].cause ==
        "it finished without loss; it reported los, val_los: did you mean \"los\"?\n"
        "its last lines:\n"
        "epoch 1\nval_los=0.5");
}

TEST_CASE("faults: metrics that may be the objective for a part of the data are suggested, but not used") {
  const std::pair<std::vector<const char*>, const char*> kCases[] = {
      {{"train_loss", "val_loss"},
       "it finished without loss; it reported train_loss, val_loss: did you mean train_loss or val_loss?"},
      {{"Best_loss"}, "it finished without loss; it reported Best_loss: did you mean Best_loss?"},
      {{"valid_1's loss"},
       "it finished without loss; it reported valid_1's loss: did you mean valid_1's loss?"},
      {{"gloss"}, "it finished without loss; it reported gloss: did you mean \"gloss\"?"}};
  for (const auto& [names, cause] : kCases) {
    Sweep sweep(document_of({{"maxTrialCount", 1}}));
    sweep.server.script = [&names = names](const TrialJob& job) {
      std::vector<TrialReport> reports;
      for (const char* name : names) reports.push_back(metric_of(job, 1, 0.5, name));
      reports.push_back(end_of(job));
      return reports;
    };
    CHECK(sweep.run().trials()[0].cause == cause);
  }
}

TEST_CASE("faults: a metric with another spelling is reported") {
  Sweep sweep(document_of({{"maxTrialCount", 1}}));
  sweep.server.script = [](const TrialJob& job) {
    return std::vector{metric_of(job, 1, 0.5, "Loss"), end_of(job)};
  };
  CHECK(sweep.run().trials()[0].cause ==
        "it finished without loss; it reported Loss: metric names are case-sensitive");
}

TEST_CASE("faults: one bad node does not end the sweep, and is avoided after two trials") {
  Sweep sweep(document_of({{"parallelTrialCount", 2}}));
  // A trial on the good node takes long; the bad node has room again at once.
  int on_bad = 0, strict = 0;
  sweep.server.script = [&](const TrialJob& job) {
    const bool avoids = std::count(job.avoid_nodes.begin(), job.avoid_nodes.end(), "bad") > 0;
    strict += avoids && job.must_avoid;
    if (job.trial > 0 && !avoids) {
      ++on_bad;
      return std::vector{on("bad", report_of(job, TrialReport::Kind::running)),
                         on("bad", end_of(job, false))};
    }
    std::vector<TrialReport> reports(6, on("good", report_of(job, TrialReport::Kind::running)));
    reports.push_back(metric_of(job, 1, x_of(job)));
    reports.push_back(on("good", end_of(job)));
    return reports;
  };
  const SweepState state = sweep.run();
  CHECK(state.end().reason == "all 20 trials are done");
  CHECK(on_bad == 2);
  CHECK(strict == 17);
  CHECK(state.lists().count(Outcome::complete) == 18);
  CHECK(state.nodes().bad() == std::vector<std::string>{"bad"});
}

TEST_CASE("faults: a node that fails now and then is not avoided; if all nodes fail, the sweep ends") {
  Sweep sweep;
  sweep.server.script = [](const TrialJob& job) {
    return job.trial % 3 == 2 ? std::vector{end_of(job, false)} : parabola(job);
  };
  const SweepState state = sweep.run();
  CHECK(state.lists().count(Outcome::failed) == 6);
  CHECK(state.nodes().bad().empty());

  Sweep broken;
  broken.server.script = [](const TrialJob& job) {
    const char* node = job.trial % 2 ? "a" : "b";
    return std::vector{on(node, report_of(job, TrialReport::Kind::running)), on(node, end_of(job, false))};
  };
  CHECK(broken.run().end().reason.find("trials failed one after another") != std::string::npos);
}

TEST_CASE("faults: time without an engine is not counted, even if the budget was changed") {
  const std::chrono::hours hour{1};
  SweepState state;
  state.apply({kNoon, record::Sweep{"id", document_of(), {}}});
  state.apply({kNoon, record::Session{"first"}});
  state.apply({kNoon + hour, record::End{.reason = "all 20 trials are done"}});
  state.apply({kNoon + 20 * hour, record::Change{document_of({{"maxTrialCount", 30}})}});
  state.apply({kNoon + 20 * hour, record::Session{"second"}});
  CHECK(state.sessions().wall_time(kNoon + 21 * hour) == 2 * hour);
}

TEST_CASE("faults: an engine's time is counted up to its last sign of life, not its last record") {
  const std::chrono::hours hour{1};
  SweepState state;
  state.apply({kNoon, record::Sweep{"id", document_of(), {}}});
  state.apply({kNoon, record::Session{"first"}});
  state.apply({kNoon + 20 * hour, record::Session{"second", kNoon + 3 * hour}});
  CHECK(state.sessions().wall_time(kNoon + 21 * hour) == 4 * hour);
}

TEST_CASE(
    "faults: a job that ended while no engine ran has its own end time, not the time when an engine noticed "
    "the end") {
  const std::chrono::hours hour{1};
  Sweep sweep;
  sweep.server.script = [&](const TrialJob& job) {
    std::vector<TrialReport> reports = parabola(job);
    reports.back().job_ended = kNoon + (job.trial == 0 ? -hour : hour);
    return reports;
  };
  REQUIRE(sweep.run(FakeClock({kNoon})).trials().size() >= 2);
  std::vector<std::optional<Time>> ended;
  for (const Record& record : sweep.records())
    if (std::holds_alternative<record::Ended>(record.what)) ended.push_back(record.job_ended);
  CHECK(std::count(ended.begin(), ended.end(), kNoon - hour) == 1);
  CHECK(std::count(ended.begin(), ended.end(), std::nullopt) == std::ssize(ended) - 1);
}

TEST_CASE("faults: clock jumps neither end a sweep nor extend it, and a replay agrees") {
  const std::chrono::hours hour{1};
  Sweep sweep(document_of({{"budget", {{"wallTime", "2h"}}}}));
  sweep.server.waits_left = 3;
  sweep.run(FakeClock({kNoon, kNoon + hour}));
  // The clock is set back by a day, and forward by a year, between two engines: this must not be counted as
  // running time.
  for (const auto step : {-24 * hour, 365 * 24 * hour}) {
    sweep.server.waits_left = 2;
    const SweepState state = sweep.run(FakeClock({kNoon + step}));
    CHECK(state.sessions().wall_time(kNoon + step) == hour);
    CHECK(state.end().reason.empty());
  }
  sweep.server.waits_left = 1 << 30;
  // The clock is set back and forward while an engine runs: jobs are created nevertheless.
  std::vector<Time> times;
  for (int i = 0; i < 400; ++i) times.push_back(kNoon + (i % 7 - 3) * std::chrono::minutes(5));
  const SweepState state = sweep.run(FakeClock(times));
  CHECK(state.end().reason == "all 20 trials are done");
  CHECK(sweep.server.made.size() == 20);
  CHECK(replay(sweep.records()).differences.empty());
}

TEST_CASE("faults: a budget applies to the whole sweep: another engine continues with the remaining time") {
  const std::chrono::hours hour{1};
  Sweep sweep(document_of({{"budget", {{"wallTime", "90m"}}}, {"maxTrialCount", 1000}}));
  sweep.server.waits_left = 5;
  sweep.run(FakeClock({kNoon, kNoon + hour}));
  const size_t begun = sweep.server.made.size();
  sweep.server.waits_left = 1 << 30;
  const SweepState state = sweep.run(FakeClock({kNoon, kNoon + hour}));
  CHECK(state.end().reason == "the time is used up");
  CHECK(state.trials().size() == begun);  // the running trials have continued
  CHECK(outcomes(state) == std::set<std::optional<Outcome>>{Outcome::complete});
}

TEST_CASE("faults: a lower --parallel on resume stops no running trial, and loses no finished one") {
  Sweep sweep(document_of({{"parallelTrialCount", 8}}));
  sweep.server.waits_left = 5;
  sweep.run();
  const size_t begun = sweep.server.made.size(), ended = [&] {
    SweepState state;
    for (const Record& record : sweep.records()) state.apply(record);
    return state.lists().ended.size();
  }();
  REQUIRE(begun > ended + 4);
  {
    Journal journal(sweep.folder.path(), "test");
    journal.add({system_clock().now(), record::Change{document_of({{"parallelTrialCount", 1}})}});
    journal.commit();
  }
  sweep.server.waits_left = 1 << 30;
  const SweepState state = sweep.run();
  CHECK(outcomes(state) == std::set<std::optional<Outcome>>{Outcome::complete});
  CHECK(state.trials().size() == 20);
  CHECK(sweep.server.made.size() == 20);
}

TEST_CASE("faults: a damaged journal is rejected, whatever the damage") {
  Sweep sweep;
  sweep.run();
  const std::vector<Record> records = sweep.records();
  const std::vector<Json> wrong = {
      {{"record", "asked"}, {"trial", 20}},
      {{"record", "asked"}, {"trial", 20}, {"values", {{"x", "much"}}}},
      {{"record", "asked"}, {"trial", 22}, {"values", {{"x", 0.5}}}},
      {{"record", "ended"}, {"trial", 20}},
      {{"record", "ended"}, {"trial", 1}, {"value", "high"}},
      {{"record", "ended"}, {"trial", 1}, {"curve", {{"a", 1}}}},
      {{"record", "change"}},
      {{"record", "wave"}, {"job", "s"}, {"trials", {{0, 999'999}, {0, 999'999}}}},
  };
  for (const Json& record : wrong) {
    CAPTURE(record.dump());
    SweepState state;
    for (const Record& each : records) state.apply(each);
    CHECK_THROWS_AS(state.apply(record_from_json(record)), Error);
  }
}

}  // namespace kml::sweep::engine_faults_test
