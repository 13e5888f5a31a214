#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "kml/base/json.h"
#include "kml/job/logs/log_lines.h"

namespace kml::job {

/// A memory-mapped file with its current bytes. Empty if the file does not exist. If readers call
/// have_read(), a file of any size needs little memory.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;

  std::string_view bytes() const { return {data_, size_}; }
  /// Call this after reading `bytes` bytes, so that their pages can be released from time to time. The pages
  /// are loaded again if needed.
  void have_read(size_t bytes);
  /// The position after the last newline before `place`; 0 if there is none.
  size_t line_begin(size_t place);

 private:
  const char* data_ = nullptr;
  size_t size_ = 0;
  size_t read_ = 0;  ///< bytes read since the last release
};

/// The path of a run's log file in the spool, without ".log".
std::filesystem::path spool_path(const LogSource& source);

/// The contents of the .json file beside a log file.
struct SpooledRun {
  LogSource source;
  bool complete = false;
};
Json to_json(const SpooledRun& run);
/// Parses the text of a .json file beside a log file. Empty if the text is invalid.
std::optional<SpooledRun> spooled_run(const std::string& text);

}  // namespace kml::job
