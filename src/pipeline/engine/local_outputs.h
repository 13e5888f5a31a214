#pragma once

#include <filesystem>
#include <string>

#include "kml/base/json.h"
#include "kml/pipeline/store/store.h"
#include "pipeline/engine/step_job.h"

namespace kml::pipeline {

/// The outputs of steps on this machine. Files and folders are in the store; values are in small files beside
/// them.
class LocalOutputs {
 public:
  /// `store` must outlive this object.
  explicit LocalOutputs(const LocalStore& store) : store_(store) {}

  /// See StepRunner::output_place().
  std::string place(const std::string& run, const Step& step, int attempt, const Output& output) const;
  /// Creates the folders to which a job will write. For a new job, first removes the files of an earlier
  /// attempt. If the job is not new, it may already be writing to the folders, or may have been interrupted
  /// before they existed.
  void prepare(const StepJob& job) const;
  /// For each output except metrics, by its name: the path to which the command itself must write it. Empty
  /// for a step with a StepProgram. `folder` is as in made_by().
  Json required(const StepJob& job, const std::filesystem::path& folder) const;
  /// See StepRunner::made_by() and made_of_text(). Relative paths of outputs are relative to `folder`.
  Json made_by(const StepJob& job, const std::filesystem::path& folder = {}) const;

 private:
  void fetch(const StepJob& job, const Output& output, const std::filesystem::path& from,
             const std::filesystem::path& to) const;
  std::string text_at(const std::filesystem::path& path, const Output& output) const;

  const LocalStore& store_;
};

}  // namespace kml::pipeline
