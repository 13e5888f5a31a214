#pragma once

#include <filesystem>
#include <optional>

#include "kml/core/json.h"
#include "kml/core/process.h"

namespace kml::jobs {

/// Asks git what code a run is made of. It is asked while the submit goes on: git takes longer than most of
/// it.
class GitState {
 public:
  /// Starts git where the folder lies in a repository.
  explicit GitState(const std::filesystem::path& folder);

  /// Waits for git: commit, branch, whether it is dirty, and the difference to the commit, at most 256 KiB of
  /// it (`diffCut` says so). Null where the folder is in no git repository, or there is no git. To be called
  /// once.
  Json take();

 private:
  std::filesystem::path folder_;
  std::optional<RunningProcess> diff_;
};

}  // namespace kml::jobs
