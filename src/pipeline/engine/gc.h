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
  std::chrono::seconds keep = std::chrono::hours(24 * 30);  ///< keeps the files of younger runs
  size_t keep_last = 5;                                     ///< and the files of each pipeline's last runs
  std::optional<std::uintmax_t> max_bytes =
      {};  ///< if set: removes more, from the oldest runs first, until the rest fits
  bool is_dry_run = false;
};

struct Removed {
  std::string name;  ///< "iris-x7k2p/train/0/model", "3 results"
  std::uintmax_t bytes = 0;
};

struct GcReport {
  std::vector<Removed> removed;
  std::uintmax_t kept_bytes = 0;  ///< total size of the remaining files and folders of steps
};

/// Removes files that no run needs. Keeps the files of unfinished runs, recent runs and the last runs, pinned
/// artifacts, and files that were made or used in the last day. A file that a run reused is treated as that
/// run's too. Keeps journals. Also removes manifests and lists without references, and results whose files
/// are gone. Engines may run at the same time. Throws Error if a journal cannot be read, because the files
/// that its run needs are then unknown.
GcReport collect(const LocalStore& store, const GcOptions& options, Time now);

/// Removes the files that a run made. Unless `is_forced` is set, keeps those that other runs use or that are
/// pinned, and returns their names.
std::vector<std::string> remove_outputs(const LocalStore& store, const std::string& run, bool is_forced,
                                        Time now);

}  // namespace kml::pipeline
