#include "kml/sweep/tables/sweep_table.h"

#include <doctest/doctest.h>

#include <set>
#include <sstream>

#include "kml/ui/table.h"
#include "sweep/tested_sweep.h"

namespace sweep_table_test {

using namespace kml;
using namespace kml::ui;

namespace {

/// The words in each trial's line, by trial.
std::map<std::string, std::vector<std::string>> lines_of_trials(const sweep::Engine& engine) {
  std::ostringstream out;
  print_trials(Streams{out, out}, engine.state(), &engine, {}, 0, false, system_clock().now());
  std::map<std::string, std::vector<std::string>> lines;
  std::istringstream all(out.str());
  for (std::string line; std::getline(all, line);) {
    std::istringstream of_line(line);
    std::vector<std::string> words{std::istream_iterator<std::string>(of_line), {}};
    lines[words.at(0)] = words;
  }
  return lines;
}

}  // namespace

TEST_CASE("sweep table: shows the step that a trial has reached, not the rung before it") {
  sweep::Sweep sweep(
      sweep::document_of({{"maxTrialCount", 1},
                          {"fidelity", {{"metric", "step"}, {"min", 1}, {"max", 8}, {"eta", 2}}},
                          {"earlyStopping", {{"algorithmName", "asha"}}}}));
  sweep.server.script = [](const sweep::TrialJob& job) {
    std::vector script = {sweep::report_of(job, sweep::TrialReport::Kind::running)};
    for (int step = 1; step <= 8; ++step) script.push_back(sweep::metric_of(job, step, 10 + step));
    script.push_back(sweep::end_of(job));
    return script;
  };
  std::set<std::string> seen;
  sweep.run(system_clock(), {[&](const sweep::Engine& engine) {
              const auto lines = lines_of_trials(engine);
              const auto line = lines.find("0");
              if (line == lines.end() || line->second[1] != "running" || line->second[2] == "-") return;
              seen.insert(line->second[3]);
              CHECK(line->second[2] == std::to_string(10 + std::stoi(line->second[3])));
            }});
  CHECK(seen == std::set<std::string>{"1", "2", "3", "4", "5", "6", "7", "8"});
}

TEST_CASE("sweep table: a trial's time is that of its jobs, without the gaps between them") {
  sweep::SweepState state;
  const auto take = [&](const char* record, const char* time, Json more = Json::object()) {
    more.update({{"record", record}, {"trial", 0}, {"time", std::string("2026-11-20T08:") + time + "Z"}});
    state.apply(sweep::record_from_json(more));
  };
  take("sweep", "00:00.5", {{"version", 1}, {"document", sweep::document_of()}});
  take("session", "00:00.5");
  take("asked", "00:00.9", {{"values", {{"x", 0.5}}}});
  take("begun", "00:00.9", {{"job", "s-0"}});
  take("running", "00:00");  // Kubernetes reports whole seconds
  CHECK(*state.trials()[0].began == state.trials()[0].asked);
  take("rung", "00:02.9", {{"resource", 1}, {"value", 1}, {"decision", "pause"}});
  take("session", "30:00");
  take("begun", "30:00", {{"job", "s-0-r1"}, {"rung", 1}});
  take("running", "30:01");
  take("ended", "30:06", {{"outcome", "complete"}, {"value", 1}});
  std::ostringstream out;
  print_trials(Streams{out, out}, state, nullptr, {}, 0, false, state.sessions().last);
  CHECK(out.str().find(" 7s ") != std::string::npos);
}

TEST_CASE("sweep table: if more trials have finished than are now planned, both numbers are shown") {
  sweep::Sweep sweep(sweep::document_of({{"maxTrialCount", 3}}));
  sweep::SweepState state = sweep.run();
  CHECK(sweep_summary(state, state.sessions().last).starts_with("s: 3 of 3 trials done, 0 running"));
  state.apply({state.sessions().last, sweep::record::Change{sweep::document_of({{"maxTrialCount", 2}})}});
  CHECK(sweep_summary(state, state.sessions().last).starts_with("s: 3 trials done, 2 planned, 0 running"));
}

TEST_CASE("sweep table: small GPU hours are printed with more decimals") {
  sweep::Sweep sweep(sweep::document_of({{"maxTrialCount", 1}}));
  double used = 0;
  sweep.server.script = [&](const sweep::TrialJob& job) {
    std::vector script = {sweep::report_of(job, sweep::TrialReport::Kind::running),
                          sweep::metric_of(job, 1, 1)};
    script.push_back(sweep::end_of(job));
    script.back().gpu_seconds = used;
    return script;
  };
  std::string text;
  SUBCASE("few GPU hours") {
    used = 7.2;
    text = ", 0.002 GPU hours";
  }
  SUBCASE("many GPU hours") {
    used = 360'000;
    text = ", 100.0 GPU hours";
  }
  const sweep::SweepState state = sweep.run();
  const std::string summary = sweep_summary(state, state.sessions().last);
  CHECK_MESSAGE(summary.find(text) != std::string::npos, summary);
}

TEST_CASE("sweep table: a fraction is shown with four digits, a whole number as the trial got it") {
  CHECK(value_text(2.0) == "2.0");
  CHECK(value_text(-100.0) == "-100.0");
  CHECK(value_text(2) == "2");
  CHECK(value_text(0.00566512) == "0.005665");
  CHECK(value_text("2") == "2");
}

TEST_CASE("sweep table: parameters are shown with all of their digits") {
  const std::pair<Json, const char*> kValues[] = {{0.0011328924963386442, "0.0011328924963386442"},
                                                  {123456789, "123456789"},
                                                  {1.0, "1.0"},
                                                  {"3.10", "3.10"},
                                                  {true, "true"}};
  for (const auto& [value, text] : kValues) CHECK(parameter_text(value) == text);
  sweep::SweepSpec spec;
  spec.parameters.resize(1);
  spec.parameters[0].name = "lr";
  CHECK(in_words(spec, {{"lr", 0.0011328924963386442}}) == "lr=0.0011328924963386442");
}

TEST_CASE("sweep table: only the first line of a cause is shown, without the note about more lines") {
  CHECK(in_a_line("exit code 1") == "exit code 1");
  CHECK(in_a_line("cannot open: the disk is full\nmore") == "cannot open: the disk is full");
  CHECK(in_a_line("it finished without score; it reported acc; its last lines:\nacc=1\nbye") ==
        "it finished without score; it reported acc");
  CHECK(in_a_line("its last lines:\nbye") == "its last lines");
  CHECK(in_a_line("exit code 1: Traceback:") == "exit code 1: Traceback:");
  CHECK(in_a_line("") == "");
}

}  // namespace sweep_table_test
