#pragma once

#include <doctest/doctest.h>

#include <set>

#include "kml/sweep/engine/engine.h"
#include "support/temporary_folder.h"
#include "sweep/scripted_runner.h"

namespace kml::sweep {

inline Json document_of(const Json& more = Json::object()) {
  Json spec = {
      {"objective", {{"type", "minimize"}, {"objectiveMetricName", "loss"}}},
      {"algorithm", {{"algorithmName", "random"}}},
      {"maxTrialCount", 20},
      {"parallelTrialCount", 4},
      {"parameters",
       Json::array(
           {{{"name", "x"}, {"parameterType", "double"}, {"feasibleSpace", {{"min", -1}, {"max", 1}}}}})},
      {"trialTemplate", {{"trialSpec", {{"kind", "Job"}, {"args", "{args}"}}}}}};
  spec.update(more);
  return {{"apiVersion", "kml.dev/v1"}, {"kind", "Sweep"}, {"metadata", {{"name", "s"}}}, {"spec", spec}};
}

inline double x_of(const TrialJob& job) {
  return job.values.at("x").get<double>();
}

/// Reports two steps with the value (x - 0.3)^2, and the end.
inline std::vector<TrialReport> parabola(const TrialJob& job) {
  const double loss = (x_of(job) - 0.3) * (x_of(job) - 0.3);
  return {report_of(job, TrialReport::Kind::running), metric_of(job, 1, loss + 1), metric_of(job, 2, loss),
          end_of(job)};
}

/// A sweep in a new folder. Its engine may die and be followed by another engine.
struct Sweep {
  explicit Sweep(const Json& document = document_of()) {
    server.script = parabola;
    Journal journal(folder.path(), "test");
    journal.add({system_clock().now(), record::Sweep{"id", document, {}}});
    journal.commit();
  }
  /// Runs an engine until the sweep ends or the server breaks.
  SweepState run(const Clock& clock = system_clock(), Engine::Hooks hooks = {}) {
    Journal journal(folder.path(), "test");
    ScriptedRunner runner(server);
    Engine engine(journal, runner, clock, std::move(hooks));
    try {
      engine.run("test");
    } catch (const Error& error) {
      REQUIRE(error.code == ErrorCode::interrupted);
    }
    return engine.state();
  }
  /// Stops the sweep after this number of steps.
  SweepState run_and_stop(int steps, StopWish wish = StopWish::now) {
    return run(system_clock(), {.stop_wish = [&] { return steps-- > 0 ? StopWish::none : wish; }});
  }
  void change(const Json& document) {
    Journal journal(folder.path(), "test");
    journal.add({system_clock().now(), record::Change{document}});
    journal.commit();
  }
  std::vector<Record> records() const {
    std::vector<Record> all;
    read_journal(folder.path(), [&](const Record& record) { all.push_back(record); });
    return all;
  }

  TemporaryFolder folder;
  ScriptedServer server;
};

/// Settings for a sweep whose trials are indexes of one Job. After a restart, another Job has the remaining
/// trials.
inline const Json kIndexed = {{"fanOut", "indexed"},
                              {"maxTrialCount", 6},
                              {"trialTemplate",
                               {{"trialSpec",
                                 {{"apiVersion", "batch/v1"},
                                  {"kind", "Job"},
                                  {"spec",
                                   {{"template",
                                     {{"spec",
                                       {{"restartPolicy", "Never"},
                                        {"containers", {{{"name", "m"}, {"command", {"{args}"}}}}}}}}}}}}}}}};

inline std::set<std::optional<Outcome>> outcomes(const SweepState& state) {
  std::set<std::optional<Outcome>> all;
  for (const Trial& trial : state.trials()) all.insert(trial.outcome);
  return all;
}

}  // namespace kml::sweep
