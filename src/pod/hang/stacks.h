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

/// Something that one thread may wait for and another may hold: a lock, or the end of a thread or a process.
/// In one process, two such objects are the same if they have a key in common.
struct Waitable {
  std::string name = {};  ///< the name in the program's source, such as "self.lock", or "process 7"
  /// the object's address, its global name, and the address at which its waiters wait, as far as they are
  /// known; empty if it could be any lock
  std::vector<std::string> keys = {};
  bool is_shared = false;  ///< whether several processes share the object
};

/// A thread in a Python program; the innermost frame comes first.
struct Thread {
  long long id = 0;       ///< of Linux
  std::string name = {};  ///< the thread's name; empty if Python has not given it one
  bool is_main = false;
  bool is_idle = false;
  std::vector<Frame> frames = {};
  std::vector<Waitable> holds = {};
  /// The object for which the thread waits without a time limit. Its name is empty if the thread does not
  /// wait.
  Waitable waits = {};
  Frame waits_at = {};
};

/// The threads in a Python program; the main thread comes first.
struct Stack {
  int pid = 0;
  std::vector<Thread> threads = {};
};

}  // namespace kml::pod
