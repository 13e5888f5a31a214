#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>
#include <string_view>

#include "kml/base/clock.h"
#include "local/shim/status_file.h"

namespace kml::local {

/// The end of a container's output for its status: the last 2,048 bytes or 80 lines, whichever is less
/// (k8s.io/kubernetes/pkg/kubelet/container, MaxContainerTerminationMessageLogLength and -Lines).
class OutputTail {
 public:
  void add(std::string_view bytes);
  std::string text() const;

 private:
  std::string end_;
};

enum class OutputStream { out, err };

struct LogLimits {
  uint64_t file_bytes = uint64_t{100} << 20;  ///< a file of this size is rotated
  int rotated_files = 9;                      ///< how many files are kept besides the current one

  /// Limits that keep at most about this many bytes in total, and at least 90% of that.
  static LogLimits of(uint64_t bytes) {
    const LogLimits usual;
    return {std::max(bytes / static_cast<uint64_t>(usual.rotated_files + 1), uint64_t{4} << 10),
            usual.rotated_files};
  }
};

/// Writes a container's output in the format of the kubelet's container runtimes: `TIME stdout|stderr F|P
/// TEXT`. Splits lines above 16 KiB into parts marked P, and rotates the log to `RESTART.log.TIME`. Unlike
/// container runtimes, it also ends a part when the writer pauses (see write_unfinished()), so that progress
/// bars can be seen as they are redrawn. If the disk is full, output is dropped and the container continues;
/// once the disk has space again, the log says how much was dropped. The file `RESTART.removed` contains how
/// much rotation has removed, and the last file that it removed: "LINES BYTES NAME".
class LogWriter {
 public:
  /// Appends to FOLDER/RESTART.log. Never throws: if the log cannot be opened, that has the same effect as a
  /// full disk.
  LogWriter(std::filesystem::path folder, int restart, const Clock& clock, LogLimits limits = {});

  void write(OutputStream stream, std::string_view bytes);
  /// Whether any line is incomplete.
  bool has_unfinished() const { return !unfinished_[0].empty() || !unfinished_[1].empty(); }
  /// Writes incomplete lines as parts. Do not call this after each write(), because Python writes the newline
  /// of a line separately.
  void write_unfinished();
  /// Writes the rest of a last line that has no newline.
  void finish();

 private:
  void add_line(OutputStream stream, char tag, std::string_view text);
  void flush();
  void open();
  void rotate();
  void remove_oldest();

  std::filesystem::path folder_, path_;
  const Clock& clock_;
  LogLimits limits_;
  AppendFile file_;
  uint64_t lost_bytes_ = 0;
  struct Part {
    std::filesystem::path path;
    uint64_t lines = 0, bytes = 0;
  };
  std::deque<Part> rotated_;   ///< oldest first
  Part current_, removed_;     ///< the lines in the current file, and the lines that rotation has removed
  std::string unfinished_[2];  ///< for each stream, the start of an incomplete line
  bool goes_on_[2] = {};       ///< for each stream, whether the last record is a part of an incomplete line
  std::string stamp_, batch_;
  uint64_t batch_lines_ = 0;  ///< how many lines end in the batch
};

}  // namespace kml::local
