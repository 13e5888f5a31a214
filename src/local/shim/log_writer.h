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

/// The end of a container's output, for its status: 2,048 bytes or 80 lines, whichever is less
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
  uint64_t file_bytes = uint64_t{100} << 20;  ///< a file that reaches it is rotated
  int rotated_files = 9;                      ///< kept besides the current one

  /// Limits that keep about this many bytes in all, and at least 90% of them.
  static LogLimits of(uint64_t bytes) {
    const LogLimits usual;
    return {std::max(bytes / static_cast<uint64_t>(usual.rotated_files + 1), uint64_t{4} << 10),
            usual.rotated_files};
  }
};

/// Writes a container's output like the kubelet's container runtimes: `TIME stdout|stderr F|P TEXT`, with
/// lines above 16 KiB split into parts marked P, and rotation to `RESTART.log.TIME`. Unlike theirs, a part
/// also ends when its writer pauses (see write_unfinished()), so progress bars are seen as they are redrawn.
/// If the disk is full, output is dropped and the container continues; when the disk has room again, the log
/// states how much was dropped. The file `RESTART.removed` holds how much rotation has removed, and the last
/// file it removed: "LINES BYTES NAME".
class LogWriter {
 public:
  /// Appends to FOLDER/RESTART.log. Never throws: a log that cannot be opened is like a full disk.
  LogWriter(std::filesystem::path folder, int restart, const Clock& clock, LogLimits limits = {});

  void write(OutputStream stream, std::string_view bytes);
  /// Whether a line is unfinished.
  bool has_unfinished() const { return !unfinished_[0].empty() || !unfinished_[1].empty(); }
  /// Writes unfinished lines as parts. Do not call it after each write(), because Python writes a line's
  /// newline separately.
  void write_unfinished();
  /// Writes the rest of a last line without a newline.
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
  Part current_, removed_;     ///< in the current file; in all files that rotation has removed
  std::string unfinished_[2];  ///< the start of a line, by stream
  bool goes_on_[2] = {};       ///< the last text written is not a complete line
  std::string stamp_, batch_;
  uint64_t batch_lines_ = 0;  ///< lines whose ends are in the batch
};

}  // namespace kml::local
