#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "kml/core/json.h"
#include "kml/jobs/logs/log_lines.h"

namespace kml::jobs {

/// The log file of a run, without its ".log", relative to the spool.
std::filesystem::path spool_path(const LogSource& source);

/// What lies beside a log file.
struct SpooledRun {
  LogSource source;
  bool complete = false;
};
Json to_json(const SpooledRun& run);
/// Empty where the text is no such thing.
std::optional<SpooledRun> spooled_run(const std::string& text);

}  // namespace kml::jobs
