#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kml/base/clock.h"
#include "kml/pipeline/store/store.h"

namespace kml::pipeline {

struct GcOptions {
  /// runs that are younger than this keep their files
  std::chrono::seconds keep = std::chrono::hours(24 * 30);
  /// how many of each pipeline's last runs keep their files
  size_t keep_last = 5;
  /// if set, files of the oldest runs are removed, too, until the rest fits or all that may be removed are
  /// gone
  std::optional<std::uintmax_t> max_bytes = {};
  bool is_dry_run = false;
};

struct Removed {
  std::string name;  ///< "iris-x7k2p/train/0/model", "3 unused manifests"
  std::uintmax_t bytes = 0;
};

struct GcReport {
  std::vector<Removed> removed;
  std::uintmax_t kept_bytes = 0;  ///< the total size of the remaining files and folders
};

/// Removes files that no run needs. Keeps the files of unfinished runs, of recent runs and of each pipeline's
/// last runs, pinned artifacts, and files that were made or used in the last day. A file that a run reused is
/// treated as that run's file, too. Keeps journals. Also removes manifests and lists to which nothing refers,
/// and results whose files no longer exist. Engines may run at the same time. Throws Error if a journal
/// cannot be read, because it is then unknown which files are still needed.
GcReport collect(const LocalStore& store, const GcOptions& options, Time now);

/// Removes the files that a run made. Keeps files that other runs use or that are pinned, unless `is_forced`
/// is set. Returns the names of the kept files.
std::vector<std::string> remove_outputs(const LocalStore& store, const std::string& run, bool is_forced,
                                        Time now);

}  // namespace kml::pipeline
