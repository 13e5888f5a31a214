#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kml/base/clock.h"
#include "kml/engine/journal/job_report.h"
#include "kml/engine/journal/journal.h"
#include "kml/job/render/evaluate.h"
#include "kml/pipeline/engine/cache.h"
#include "kml/pipeline/engine/run_state.h"
#include "kml/pipeline/engine/step_index.h"
#include "kml/pipeline/language/pipeline.h"

namespace kml::pipeline {

/// One attempt of a step; it has one job.
struct StepJob {
  std::string name;
  const Step* step = nullptr;
  render::Scope scope;  ///< values of its placeholders
  bool is_new = true;   ///< false: an earlier engine may have created it
  int attempt = 0;
  Json inputs = {};  ///< by name: {"digest", "path", ...} or {"value"}
  Time began = {};   ///< when the attempt began
};

/// The reason of an Error of StepRunner::made_by(): the pod disappeared before its report was read.
inline constexpr const char* kReportLost = "ReportLost";

/// Runs the jobs of steps and finds their outputs: on a server, or scripted in tests.
class StepRunner {
 public:
  virtual ~StepRunner() = default;
  /// The path that replaces an output's placeholder in the command: where this attempt must write the output.
  virtual std::string output_place(const std::string& run, const Step& step, int attempt,
                                   const Output& output) const = 0;
  /// The path that replaces an input's placeholder in the command: where the step finds that output of an
  /// earlier step.
  virtual std::string input_place(const std::string& /*input*/, const Json& made) const {
    return string_at(made, {"path"});
  }
  /// Creates the jobs. If this run created jobs of the same names earlier, adopts them and reports their
  /// values again. Failures come as reports.
  virtual void start(const std::vector<StepJob>& jobs) = 0;
  /// Ends a job, with its grace period. Its end is still reported.
  virtual void stop(const std::string& job) = 0;
  /// Waits up to `limit` and returns the reports since the last call. Throws Error (interrupted) on a signal.
  virtual std::vector<engine::JobReport> wait(std::chrono::milliseconds limit) = 0;
  /// The outputs of a job that succeeded, by name, without metrics: {"digest", "path", "bytes", "files"} for
  /// a file or folder, {"value"} for a value. Throws Error for the first missing output; with reason
  /// kReportLost, the step runs again.
  virtual Json made_by(const StepJob& job) = 0;
  /// Whether steps run in the same folder, so that outputs with the same `path` are the same file.
  virtual bool shares_folder() const { return false; }
  /// More facts for the record of the result, e.g. {"image"}. Called after made_by(), with the same job. They
  /// do not affect later decisions.
  virtual Json notes_of(const StepJob& /*job*/) { return Json::object(); }
};

/// Runs a pipeline to its end. Writes every decision to the journal before carrying it out, so that the next
/// engine continues where this one stopped.
class Engine {
 public:
  struct Hooks {
    /// Called after each round of decisions.
    std::function<void(const Engine&)> on_step = [](const Engine&) {};
    /// Whether to stop the run.
    std::function<bool()> stop_wish = [] { return false; };
  };

  /// The journal must already have the run's first record, and `pipeline` must be the one in that record. The
  /// engine adds steps to it if a foreach is over outputs of other steps. All arguments must outlive the
  /// engine.
  Engine(engine::Journal& journal, Pipeline& pipeline, const Cache& cache, StepRunner& runner,
         const Clock& clock, Hooks hooks);

  /// Returns when the run has ended; state().end() says how. Throws if the engine stops earlier: Error
  /// (interrupted) from the runner, or a full disk. The jobs then keep running.
  void run(const std::string& owner);

  const RunState& state() const { return state_; }
  const Pipeline& pipeline() const { return pipeline_; }
  /// For Hooks::on_step: the steps that have changed since its last call, in the pipeline's order.
  std::vector<const Step*> changed() const;

 private:
  void decide(const char* what, const std::string& step, Json record);
  void decide(const char* what, Json record = Json::object());
  void reattach();
  void repeat_exits();
  void plan();
  bool grow();
  void grow(const Step& step);
  void consider(const Step& step);
  bool is_ready(size_t place) const;
  bool is_crowded(const Step& step) const;
  bool is_closing() const;
  bool goes_on(const Step& step) const;
  const char* outcome() const;
  bool must_halt() const;
  bool has_needed_failed() const;
  std::set<std::string> hopeless_steps() const;
  std::string reason_to_skip(const Step& step) const;
  const Source* missing_of(const Input& input) const;
  bool is_lost(const Step& step) const;
  const Source* source_of(const Input& input) const;
  bool holds(const Step& step) const;
  Json value_of(const std::string& name) const;
  Json inputs_of(const Step& step) const;
  void begin(const Step& step, const Verdict& verdict, const Json& inputs);
  bool claim_what_it_makes(const Step& step, const Verdict& verdict);
  bool claim_key(const Step& step, const std::string& key, const char* what);
  std::vector<std::string> path_keys(const Step& step) const;
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
  void tell();
  std::chrono::milliseconds time_to_next() const;

  engine::Journal& journal_;
  Pipeline& pipeline_;
  const Cache& cache_;
  StepRunner& runner_;
  const Clock& clock_;
  Hooks hooks_;
  RunState state_;
  StepIndex index_;                ///< of state_
  std::set<std::string> changed_;  ///< the steps of changed()
  std::vector<StepJob> to_start_;
  std::map<std::string, std::map<std::string, double>> metrics_;  ///< by job: those of the greatest steps
  std::map<std::string, int> losses_;                             ///< by step
  std::map<std::string, std::vector<KeyClaim>> claims_;           ///< by step; only of running steps
  std::map<std::string, std::string> awaited_;                    ///< by step: a key that another run holds
  bool is_stopping_ = false;
  bool is_closing_ = false;  ///< set for this round of decisions
};

}  // namespace kml::pipeline
