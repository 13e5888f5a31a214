#pragma once

#include <filesystem>
#include <string>

#include "kml/core/json.h"
#include "kml/pipeline/engine.h"
#include "kml/pipeline/store.h"

namespace kml::pipeline {

/// What steps make on this machine: files and folders in the store, values as small files beside them.
class LocalOutputs {
 public:
  /// `store` must outlive it.
  explicit LocalOutputs(const LocalStore& store) : store_(store) {}

  /// See StepRunner::output_place().
  std::string place(const std::string& run, const Step& step, int attempt, const Output& output) const;
  /// Makes the folders that a job writes to. Of a new one also removes what an earlier try left there; one
  /// that is not new may have been cut off before it had its folders, or may be writing to them now.
  void prepare(const StepJob& job) const;
  /// See StepRunner::made_by(), and value_of_text().
  /// What an output's own path is relative to, is `folder`.
  Json made_by(const StepJob& job, const std::filesystem::path& folder = {}) const;

 private:
  void fetch(const StepJob& job, const Output& output, const std::filesystem::path& from,
             const std::filesystem::path& to) const;
  Json value_at(const std::filesystem::path& path, const Output& output) const;

  const LocalStore& store_;
};

}  // namespace kml::pipeline
