#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/pipeline/journal/journal.h"
#include "pipeline/engine/engine.h"
#include "pipeline/engine/local_outputs.h"
#include "pipeline/file/parse_pipeline.h"
#include "support/temporary_folder.h"

namespace kml::pipeline {

/// Steps that end at once, instead of jobs: each writes the outputs that its script says. Its jobs exist as
/// long as this object, whichever engine asks.
class ScriptedSteps final : public StepRunner {
 public:
  using Reports = std::vector<engine::JobReport>;

  std::vector<std::string> made;  ///< names of created jobs, in order
  std::vector<std::string> stopped;
  std::function<Reports(const StepJob& job)> script = [](const StepJob& job) { return success(job); };
  std::set<std::string> lost_reports;  ///< jobs whose outputs cannot be read
  bool is_in_one_folder = false;       ///< the answer of shares_folder()
  std::optional<std::string> record;   ///< the answer of take_record()
  int waits_left = -1;                 ///< the engine is killed after this number of waits; -1: never

  explicit ScriptedSteps(const LocalStore& store) : outputs_(store) {}

  std::string output_place(const std::string& run, const Step& step, int attempt,
                           const Output& output) const override {
    return outputs_.place(run, step, attempt, output);
  }
  bool shares_folder() const override { return is_in_one_folder; }
  std::optional<std::string> take_record(const StepJob&) override { return record; }
  Json made_by(const StepJob& job) override {
    if (!lost_reports.contains(job.name)) return outputs_.made_by(job);
    Error error(ErrorCode::job_failed, "its outputs are lost");
    error.reason = kReportLost;
    throw error;
  }

  void start(const std::vector<StepJob>& jobs) override {
    for (const StepJob& job : jobs) {
      if (job.is_new) outputs_.prepare(job);
      if (!reports_.contains(job.name)) {
        made.push_back(job.name);
        reports_[job.name] = script(job);
      }
      untold_.push_back(job.name);
    }
  }

  /// The number of jobs that have started but have not been reported yet.
  size_t untold() const { return untold_.size(); }

  /// The job then ends like a cancelled one.
  void stop(const std::string& job) override {
    stopped.push_back(job);
    reports_[job] = {{.kind = engine::JobReport::Kind::ended, .job = job, .cause = "cancelled"}};
    untold_.push_back(job);
  }

  Reports wait(std::chrono::milliseconds) override {
    if (waits_left-- == 0) throw Error(ErrorCode::interrupted, "killed");
    Reports told;
    for (const std::string& job : std::exchange(untold_, {}))
      told.insert(told.end(), reports_[job].begin(), reports_[job].end());
    return told;
  }

  /// Writes "NAME of STEP" to each output, and logs 0.95 for each metric.
  static Reports success(const StepJob& job) {
    Reports reports{report(job, engine::JobReport::Kind::running)};
    for (const Output& output : job.step->outputs) {
      if (output.kind == OutputKind::metric) {
        reports.push_back(report(job, engine::JobReport::Kind::metric));
        reports.back().metric = output.metric;
        reports.back().value = 0.95;
      } else {
        write_file_atomically(job.scope.at("out")[output.name].get<std::string>(),
                              output.name + " of " + job.step->name, 0644);
      }
    }
    reports.push_back(report(job, engine::JobReport::Kind::ended));
    reports.back().succeeded = true;
    return reports;
  }

  static Reports failure(const StepJob& job, const std::string& cause) {
    Reports reports{report(job, engine::JobReport::Kind::running),
                    report(job, engine::JobReport::Kind::ended)};
    reports.back().cause = cause;
    return reports;
  }

  static engine::JobReport report(const StepJob& job, engine::JobReport::Kind kind) {
    return {.kind = kind, .job = job.name};
  }

 private:
  const LocalOutputs outputs_;
  std::map<std::string, Reports> reports_;
  std::vector<std::string> untold_;
};

inline std::map<std::string, Phase> phases(const RunState& run) {
  std::map<std::string, Phase> phases;
  for (const auto& [name, step] : run.steps()) phases[name] = step.phase;
  return phases;
}

/// A pipeline's file, store and server in a new folder. run() acts as a process that runs an engine.
struct TestedPipeline {
  TemporaryFolder folder;
  LocalStore store{folder.path() / "artifacts"};
  ScriptedSteps server{store};
  std::string text;
  Json params = Json::object();
  KeyParts surroundings = {{"code", "1"}};
  Renewal renewal = {};
  bool is_stop_wished = false, keeps_going = false, counts_restarts = false;
  std::function<void(const Engine& engine)> on_round = [](const Engine&) {};

  explicit TestedPipeline(std::string steps)
      : text("apiVersion: kml.dev/v1\nkind: Pipeline\nmetadata: {name: p}\nspec:\n" + std::move(steps)) {}

  Journal journal_of(const std::string& name) const {
    return Journal(folder.path() / "runs" / name, "test", {"run " + name, "", ""});
  }

  /// Adds a record to the journal of run "r".
  void add(decltype(Record::what) what) const {
    Journal journal = journal_of("r");
    journal.add({system_clock().now(), std::move(what)});
    journal.commit();
  }

  /// Starts or continues the run with that name. Its end() is empty if the engine was killed.
  RunState run(const std::string& name) {
    Pipeline pipeline = expanded(parse_pipeline(text, "p.yaml"), params);
    pipeline.folder = folder.path();
    Journal journal = journal_of(name);
    bool is_new = true;
    journal.read([&](const Record&) { is_new = false; });
    if (is_new)
      journal.add({system_clock().now(), record::Run{.name = name,
                                                     .text = text,
                                                     .params = params,
                                                     .target = Json::object(),
                                                     .renewal = renewal,
                                                     .keeps_going = keeps_going}});
    journal.commit();
    const Cache cache(
        pipeline, store, system_clock(), [&](const Step&) { return surroundings; },
        [&](const Json& made) { return store.has(string_at(made, {"path"}), string_at(made, {"digest"})); });
    Engine engine(journal, pipeline, cache, server, system_clock(),
                  {on_round, [&] { return is_stop_wished; }, counts_restarts});
    try {
      engine.run("test");
    } catch (const Error& error) {
      if (error.code != ErrorCode::interrupted) throw;
    }
    return engine.state();
  }
};

}  // namespace kml::pipeline
