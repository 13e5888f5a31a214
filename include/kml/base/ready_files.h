#pragma once

#include <map>
#include <string>
#include <string_view>

#include "kml/base/files.h"

namespace kml {

/// Several files as one descriptor, which is readable while one of them is ready: for code that can only wait
/// for a readable descriptor.
class ReadyFiles {
 public:
  ReadyFiles();

  /// The events to wait for on this file; if both are false, none. A file on a disk is always ready, and is
  /// ignored.
  void want(int fd, bool readable, bool writable);
  /// Call it before a descriptor is closed.
  void forget(int fd) { want(fd, false, false); }
  /// Call it again before each wait.
  int fd() const;

 private:
  struct Wanted {
    bool readable = false, writable = false;
    bool operator==(const Wanted&) const = default;
  };
  /// On Linux by epoll(7), on macOS by kqueue(2).
  void change(int fd, Wanted before, Wanted now);

  Fd queue_;
  std::map<int, Wanted> wanted_;  ///< by descriptor
};

/// Whether it can be read now without waiting; true also at its end.
bool is_readable(int fd);

/// Writes to a file, a pipe, a socket or a terminal without ever waiting for its reader, and without changing
/// the mode that it shares with other processes.
class PatientWriter {
 public:
  explicit PatientWriter(int fd);

  /// Writes what it can, and keeps the rest.
  void write(std::string_view bytes);
  void flush() { write({}); }
  size_t pending() const { return kept_.size(); }
  /// The reader has closed its end: further data are dropped.
  bool is_closed() const { return is_closed_; }
  /// For ReadyFiles.
  int fd() const { return own_ ? own_.get() : fd_; }

 private:
  bool has_room() const;

  int fd_;
  Fd own_;  ///< a pipe or terminal that was opened again, because O_NONBLOCK belongs to the open file
  bool is_socket_ = false, is_closed_ = false;
  bool may_block_ = false;  ///< it could not be opened again
  std::string kept_;
};

}  // namespace kml
