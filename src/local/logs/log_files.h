#pragma once

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kml/base/files.h"

namespace kml::local {

/// Reads the records of one run of a container: first the rotated files (`N.log.TIME`), then the current file
/// (`N.log`), which may be rotated while it is read.
class LogFiles {
 public:
  /// How much of the start of the log was already removed by rotation when the files were opened.
  struct Removed {
    uint64_t lines = 0, bytes = 0;
    std::string last = {};  ///< the name of the newest removed file
    bool operator==(const Removed&) const = default;
  };
  const Removed& removed() const { return removed_; }

  LogFiles(std::filesystem::path folder, int restart);

  /// Moves to the start of the last `lines` lines.
  void skip_to_tail(uint64_t lines);

  /// Returns the next complete record in `record`, without its newline, or false if there is none yet.
  /// `record` is valid until the next call.
  bool next(std::string_view& record);

  /// How many bytes were removed by rotation before this reader could read them, counted since the last call.
  uint64_t take_lost() { return std::exchange(lost_, 0); }

  /// Opens newer files at once, because rotation may remove them before they are read.
  void hold_newer();

 private:
  struct File {
    Fd fd;
    uint64_t begin;  ///< how many bytes of the log came before this file, including removed ones
  };

  Removed read_removed() const;
  std::vector<std::filesystem::path> paths(const std::string& last_removed) const;
  std::deque<File> open_after(ino_t newest, const Removed& removed) const;
  void open_newer();
  void go_to_next_file();
  bool fill();
  bool read_more();

  std::filesystem::path folder_;
  std::string name_;  ///< the name of the current file
  Removed removed_;
  std::deque<File> files_;  ///< the file that is being read, followed by newer ones
  uint64_t lost_ = 0;
  std::string buffer_;
  size_t begin_ = 0;  ///< where the next record starts in the buffer
};

}  // namespace kml::local
