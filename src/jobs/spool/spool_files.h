#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "kml/core/json.h"
#include "kml/jobs/logs/log_lines.h"

namespace kml::jobs {

/// A file's bytes as they are now, read by the system where they are looked at. Empty if there is no file.
/// Of a file of any length little is held, where its readers tell what they have read.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;

  std::string_view bytes() const { return {data_, size_}; }
  /// Now and then lets go of what was read; who looks at it again finds it again.
  void have_read(size_t bytes);
  /// The place after the last newline before `place`; 0 if there is none.
  size_t line_begin(size_t place);

 private:
  const char* data_ = nullptr;
  size_t size_ = 0;
  size_t read_ = 0;  ///< since it let go last
};

/// The log file of a run, without its ".log", relative to the spool.
std::filesystem::path spool_path(const LogSource& source);

/// What lies beside a log file.
struct SpooledRun {
  LogSource source;
  bool complete = false;
};
Json to_json(const SpooledRun& run);
/// Empty if the text is no such thing.
std::optional<SpooledRun> spooled_run(const std::string& text);

}  // namespace kml::jobs
