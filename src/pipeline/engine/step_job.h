#pragma once

#include <optional>
#include <string>

#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "kml/engine/loop/runner.h"
#include "kml/job/render/evaluate.h"
#include "kml/pipeline/language/pipeline.h"

namespace kml::pipeline {

/// An attempt of a step, with its job.
struct StepJob {
  std::string name;
  const Step* step = nullptr;
  render::Scope scope;  ///< the values of its placeholders
  bool is_new = true;   ///< false if an earlier engine may have created the job
  int attempt = 0;
  /// The key is the input's name; the value is {"digest", "path", ...} or {"value"}. Each item of a list is
  /// an input of its own, such as "models-0".
  Json inputs = {};
  Time began = {};  ///< when the attempt started
};

/// The reason in an Error from StepRunner::made_by() if the pod was gone before its report was read.
inline constexpr const char* kReportLost = "ReportLost";

/// Runs the jobs of steps, and finds their outputs. Failures of jobs are reported, not thrown.
class StepRunner : public engine::Runner<StepJob> {
 public:
  /// The path that replaces an output's placeholder in the command. This attempt must write the output there.
  virtual std::string output_place(const std::string& run, const Step& step, int attempt,
                                   const Output& output) const = 0;
  /// The path that replaces an input's placeholder in the command. The step finds the earlier step's output
  /// there.
  virtual std::string input_place(const std::string& /*input*/, const Json& made) const {
    return string_at(made, {"path"});
  }
  /// The outputs of a job that succeeded, by name, without metrics: {"digest", "path", "bytes", "files"} for
  /// a file or folder, {"value"} for a value. Throws Error for the first missing output; if the reason is
  /// kReportLost, the step runs again.
  virtual Json made_by(const StepJob& job) = 0;
  /// Whether steps run in the same folder, so that outputs with the same `path` are the same file.
  virtual bool shares_folder() const { return false; }
  /// The image that the job's pod used, with its digest; empty if unknown. Called after made_by() for the
  /// same job.
  virtual std::string image_id_of(const StepJob& /*job*/) { return {}; }
  /// The digest of the lock with the packages of the job; empty if the job has none, or was not passed to
  /// start().
  virtual std::string lock_of(const StepJob& /*job*/) const { return {}; }
  /// The ReadRecord of a job that succeeded, as text; empty if it was not recorded. It is returned only once.
  virtual std::optional<std::string> take_record(const StepJob& /*job*/) { return {}; }
};

}  // namespace kml::pipeline
