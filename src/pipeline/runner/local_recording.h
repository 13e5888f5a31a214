#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "kml/base/json.h"
#include "kml/pipeline/store/store.h"
#include "pipeline/engine/step_job.h"
#include "pipeline/runner/step_runner.h"

namespace kml::pipeline {

/// Records what the steps on this machine read: makes kml-step run their commands (see src/step/README.md).
class LocalRecording {
 public:
  /// The arguments must outlive this object.
  LocalRecording(const StepRunnerOptions& options, const LocalStore& store)
      : options_(options), store_(store) {}

  /// Makes the step's job write a record, if the options ask for it. `is_in_folder` is false if the job runs
  /// in a copy of its code.
  void put_into(Json& object, const StepJob& job, bool is_in_folder);
  /// See StepRunner::take_record(). If the job could not be recorded, the record says why.
  std::optional<std::string> take(const StepJob& job);

 private:
  std::filesystem::path file_of(const StepJob& job) const;
  std::string program() const;

  const StepRunnerOptions& options_;
  const LocalStore& store_;
  std::map<std::string, std::string> reasons_;  ///< why jobs are not recorded
};

}  // namespace kml::pipeline
