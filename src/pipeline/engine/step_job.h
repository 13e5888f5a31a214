#pragma once

#include <string>

#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "kml/engine/loop/runner.h"
#include "kml/job/render/evaluate.h"
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
  Time began = {};   ///< when the attempt started
};

/// The reason of an Error of StepRunner::made_by(): the pod disappeared before its report was read.
inline constexpr const char* kReportLost = "ReportLost";

/// Runs the jobs of steps, and finds their outputs. Failures come as reports.
class StepRunner : public engine::Runner<StepJob> {
 public:
  /// The path that replaces an output's placeholder in the command: where this attempt must write the output.
  virtual std::string output_place(const std::string& run, const Step& step, int attempt,
                                   const Output& output) const = 0;
  /// The path that replaces an input's placeholder in the command: where the step finds that output of an
  /// earlier step.
  virtual std::string input_place(const std::string& /*input*/, const Json& made) const {
    return string_at(made, {"path"});
  }
  /// The outputs of a job that succeeded, by name, without metrics: {"digest", "path", "bytes", "files"} for
  /// a file or folder, {"value"} for a value. Throws Error for the first missing output; with reason
  /// kReportLost, the step runs again.
  virtual Json made_by(const StepJob& job) = 0;
  /// Whether steps run in the same folder, so that outputs with the same `path` are the same file.
  virtual bool shares_folder() const { return false; }
  /// The image of the job's pod, with its digest; empty if unknown. Called after made_by(), with the same
  /// job.
  virtual std::string image_id_of(const StepJob& /*job*/) { return {}; }
};

}  // namespace kml::pipeline
