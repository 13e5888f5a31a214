#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kml/core/clock.h"
#include "kml/engine/job_report.h"
#include "kml/engine/journal.h"
#include "kml/pipeline/cache.h"
#include "kml/pipeline/pipeline.h"
#include "kml/pipeline/run_state.h"
#include "kml/render/evaluate.h"

namespace kml::pipeline {

/// A step's job: an attempt.
struct StepJob {
  std::string name;
  const Step* step = nullptr;
  render::Scope scope;  ///< what its placeholders stand for
  bool is_new = true;   ///< else an earlier engine may have created it
  int attempt = 0;
  Json inputs = {};  ///< by name: {"digest", "path", ...} or {"value"}
  Time began = {};   ///< the attempt
};

/// Where steps run and leave what they make: jobs on a server, or a scripted one in tests.
class StepRunner {
 public:
  virtual ~StepRunner() = default;
  /// What stands for an output in the command of an attempt of a step: where it is to put it.
  virtual std::string output_place(const std::string& run, const Step& step, int attempt,
                                   const Output& output) const = 0;
  /// What stands for an input in the command: where it finds what that output of an earlier step made.
  virtual std::string input_place(const std::string& /*input*/, const Json& made) const {
    return string_at(made, {"path"});
  }
  /// Creates the jobs, or takes over those of their names that this run created earlier; their values are
  /// then reported again. Failures come as reports.
  virtual void start(const std::vector<StepJob>& jobs) = 0;
  /// Ends a job, with its grace. Its end is still reported.
  virtual void stop(const std::string& job) = 0;
  /// What happened since, waiting at most so long for something. Throws Error (interrupted) on a signal.
  virtual std::vector<engine::JobReport> wait(std::chrono::milliseconds limit) = 0;
  /// What the job has made that ended well, by output, metrics aside: {"digest", "path", "bytes", "files"} of
  /// a file or folder, {"value"} of a value. Throws Error for the first output that is not there.
  virtual Json made_by(const StepJob& job) = 0;
  /// What the record of a result tells of the job beside that, of one that made_by() was just asked about:
  /// {"image"}, for example. Decides nothing.
  virtual Json notes_of(const StepJob& /*job*/) { return Json::object(); }
};

/// Runs a pipeline to its end. Every decision is in the journal before it is carried out, so that the next
/// engine goes on where this one stopped.
class Engine {
 public:
  struct Hooks {
    /// Called after each round of decisions.
    std::function<void(const Engine&)> on_step = [](const Engine&) {};
    /// Whether the run is to be stopped.
    std::function<bool()> stop_wish = [] { return false; };
  };

  /// The journal holds the run's first record already, and `pipeline` is that record's. All must outlive the
  /// engine.
  Engine(engine::Journal& journal, const Pipeline& pipeline, const Cache& cache, StepRunner& runner,
         const Clock& clock, Hooks hooks);

  /// Returns when the run has ended; state().end() says how. Throws if something stops the engine before:
  /// Error (interrupted) from the runner, or a full disk. The jobs then keep running.
  void run(const std::string& owner);

  const RunState& state() const { return state_; }
  const Pipeline& pipeline() const { return pipeline_; }

 private:
  void decide(const char* what, const std::string& step, Json record);
  void decide(const char* what, Json record = Json::object());
  void reattach();
  void repeat_exits();
  void plan();
  void consider(const Step& step);
  bool is_ready(const Step& step) const;
  bool is_crowded(const Step& step) const;
  bool is_closing() const;
  bool goes_on(const Step& step) const;
  const char* outcome() const;
  bool must_halt() const;
  bool has_needed_failed() const;
  std::set<std::string> hopeless_steps() const;
  bool is_any_running() const;
  std::string reason_to_skip(const Step& step) const;
  const Source* missing_of(const Input& input) const;
  bool is_lost(const Step& step) const;
  const Source* source_of(const Input& input) const;
  bool holds(const Step& step) const;
  Json value_of(const std::string& name) const;
  Json inputs_of(const Step& step) const;
  void begin(const Step& step, const Verdict& verdict, const Json& inputs);
  bool may_make(const Step& step, const Verdict& verdict);
  StepJob job_of(const Step& step, bool is_new) const;
  void add_for_program(StepJob& job, const StepState& state) const;
  const Step* step_of(const std::string& job) const;
  void take(const engine::JobReport& report);
  void take_end(const Step& step, const engine::JobReport& report);
  void take_success(const Step& step, const engine::JobReport& report);
  void keep(const Step& step, const Json& outputs);
  Json made_by(const Step& step, const engine::JobReport& report);
  double metric_of(const Output& output, const engine::JobReport& report) const;
  bool renew_source(const Step& step, const engine::JobReport& report);
  void fail(const Step& step, const std::string& cause, bool is_lost = false);
  void end();
  std::chrono::milliseconds time_to_next() const;

  engine::Journal& journal_;
  const Pipeline& pipeline_;
  const Cache& cache_;
  StepRunner& runner_;
  const Clock& clock_;
  Hooks hooks_;
  RunState state_;
  std::vector<StepJob> to_start_;
  std::map<std::string, std::map<std::string, double>> metrics_;  ///< by job: the last values
  std::map<std::string, int> losses_;                             ///< by step
  std::map<std::string, KeyClaim> claims_;                        ///< by step: of those that run
  std::map<std::string, std::string> awaited_;                    ///< by step: the key that another run makes
  bool is_stopping_ = false;
  bool is_closing_ = false;  ///< in this round of decisions
};

}  // namespace kml::pipeline
