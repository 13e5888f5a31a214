#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "kml/base/json.h"
#include "kml/job/logs/log_lines.h"

namespace kml::job {

/// A file's current bytes, memory-mapped. Empty if the file does not exist. Uses little memory for any file
/// if readers call have_read().
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;

  std::string_view bytes() const { return {data_, size_}; }
  /// Occasionally releases the pages that were already read. They are loaded again if needed.
  void have_read(size_t bytes);
  /// The place after the last newline before `place`; 0 if there is none.
  size_t line_begin(size_t place);

 private:
  const char* data_ = nullptr;
  size_t size_ = 0;
  size_t read_ = 0;  ///< bytes read since the last release
};

/// The log file of a run, without its ".log", relative to the spool.
std::filesystem::path spool_path(const LogSource& source);

/// The contents of the .json file next to a log file.
struct SpooledRun {
  LogSource source;
  bool complete = false;
};
Json to_json(const SpooledRun& run);
/// Parses such a .json file; empty if it is invalid.
std::optional<SpooledRun> spooled_run(const std::string& text);

}  // namespace kml::job
