#pragma once

#include <map>
#include <string>
#include <string_view>

#include "kml/base/files.h"

namespace kml {

/// Combines several files into one descriptor, which is readable while one of the files is ready. Meant for
/// code that can only wait for a readable descriptor.
class ReadyFiles {
 public:
  ReadyFiles();

  /// Sets the events to wait for on this file; none if both are false. A file on a disk is always ready, and
  /// is ignored.
  void want(int fd, bool readable, bool writable);
  /// Call this before a descriptor is closed.
  void forget(int fd) { want(fd, false, false); }
  /// Call this again before each wait.
  int fd() const;

 private:
  struct Wanted {
    bool readable = false, writable = false;
    bool operator==(const Wanted&) const = default;
  };
  /// Uses epoll(7) on Linux and kqueue(2) on macOS.
  void change(int fd, Wanted before, Wanted now);

  Fd queue_;
  std::map<int, Wanted> wanted_;  ///< by descriptor
};

/// Whether the file can be read now without waiting. Also true at its end.
bool is_readable(int fd);

/// Writes to a file, a pipe, a socket or a terminal without ever waiting for its reader. Does not change the
/// file's mode, which other processes share.
class PatientWriter {
 public:
  explicit PatientWriter(int fd);

  /// Writes as much as possible now, and keeps the rest.
  void write(std::string_view bytes);
  void flush() { write({}); }
  size_t pending() const { return kept_.size(); }
  /// Whether the reader has closed its end. Further data is then dropped.
  bool is_closed() const { return is_closed_; }
  /// For ReadyFiles.
  int fd() const { return own_ ? own_.get() : fd_; }

 private:
  bool has_room() const;

  int fd_;
  Fd own_;  ///< a pipe or terminal, opened again, because O_NONBLOCK would also affect other processes
  bool is_socket_ = false, is_closed_ = false;
  bool may_block_ = false;  ///< whether the pipe or terminal could not be opened again
  std::string kept_;
};

}  // namespace kml
