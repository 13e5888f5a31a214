#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kml/core/clock.h"
#include "kml/pipeline/store.h"

namespace kml::pipeline {

struct GcOptions {
  std::chrono::seconds keep = std::chrono::hours(24 * 30);  ///< younger runs keep their files
  size_t keep_last = 5;                                     ///< and so do the last ones of each pipeline
  std::optional<std::uintmax_t> max_bytes =
      {};  ///< then older runs lose theirs first, whatever is said above
  bool is_dry_run = false;
};

struct Removed {
  std::string name;  ///< "iris-x7k2p/train/0/model", "3 results"
  std::uintmax_t bytes = 0;
};

struct GcReport {
  std::vector<Removed> removed;
  std::uintmax_t kept_bytes = 0;  ///< of files and folders that steps made
};

/// Removes files that no run needs: they belong to no run that has not ended, to none of the last ones or the
/// young ones, not to a pinned artifact, and neither were they made nor used within the last day. A file that
/// another run took over is that run's too. Journals stay. Also removes manifests and lists that nothing
/// refers to, and results whose files are gone. May run beside engines. Throws Error for a journal that
/// cannot be read: what it needs is not known.
GcReport collect(const LocalStore& store, const GcOptions& options, Time now);

/// Removes what a run made, except what other runs use or is pinned, unless `is_forced`. The names of what is
/// kept.
std::vector<std::string> remove_outputs(const LocalStore& store, const std::string& run, bool is_forced,
                                        Time now);

}  // namespace kml::pipeline
