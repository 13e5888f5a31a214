#pragma once

#include <string>
#include <vector>

namespace kml::pod {

struct Frame {
  std::string function = {}, file = {};
  int line = 0;

  bool operator==(const Frame&) const = default;
  /// "t.py:3"
  std::string place() const { return file.substr(file.rfind('/') + 1) + ":" + std::to_string(line); }
};

/// Something that one thread may wait for and another hold: a lock, or the end of a thread or a process. Two
/// of one process are the same if they have a key in common.
struct Waitable {
  std::string name = {};               ///< as in the program's source: "self.lock"
  std::vector<std::string> keys = {};  ///< its address, its global name; empty if it could be any
  bool is_shared = false;              ///< with other processes
};

/// A thread of a Python program, the innermost frame first.
struct Thread {
  long long id = 0;       ///< of Linux
  std::string name = {};  ///< empty if Python has not named it
  bool is_main = false;
  bool is_idle = false;
  std::vector<Frame> frames = {};
  std::vector<Waitable> holds = {};
  Waitable waits = {};  ///< without end; its name is empty if it does not
  Frame waits_at = {};
};

/// The threads of a Python program, the main one first.
struct Stack {
  int pid = 0;
  std::vector<Thread> threads = {};
};

}  // namespace kml::pod
