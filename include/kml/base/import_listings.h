#pragma once

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// defines: FolderTime, ImportListings. Uses no exceptions, because kml-step is linked without support for
// them.

namespace kml {

/// When a folder last changed (st_mtim of stat(2)).
struct FolderTime {
  long long seconds = 0, nanoseconds = 0;
  auto operator<=>(const FolderTime&) const = default;
};

/// Recognizes the listings of Python's import system, for which only the modules and packages of a folder
/// matter. Any program may list a folder, so a listing is attributed to imports only if the calls around it
/// can hardly come from anything else:
/// - When Python first searches a folder, it stats the folder three times, and importlib's FileFinder lists
///   it. Later, FileFinder stats the folder once, and lists it only if the folder has changed since. It then
///   looks at the
///   possible files of a module or package in the folder, in a fixed order, or at a later folder of sys.path.
///   It always stats a folder before it searches it, so a search that begins after a program's own listing
///   looks different.
/// - importlib.metadata stats and lists one folder of sys.path after the other.
class ImportListings {
 public:
  struct Outcome {
    std::string folder;
    bool is_of_imports = false;
  };
  /// A thread looks up a path. If this shows whether the thread's last listing came from Python's import
  /// system, returns the outcome.
  std::optional<Outcome> look(int thread, const std::string& path);
  /// A thread opens a folder, which changed at `time`, to list it.
  std::optional<Outcome> open(int thread, const std::string& path, FolderTime time);
  /// Whether the thread opened the folder directly after looking it up. If so, open() needs the folder's
  /// time.
  bool is_after_look(int thread, const std::string& path) const;
  /// A thread lists the folder `name`, which is at `path`. Returns whether the outcome is still unknown.
  /// `module_path` returns the start of sys.path, without the folders of Python itself.
  template <typename GetModulePath>
  bool list(int thread, const std::string& path, const std::string& name, const GetModulePath& module_path) {
    const auto now = threads_.find(thread);
    if (now == threads_.end() || now->second.opened != path) return false;
    if (now->second.listed.empty()) begin(now->second, name, module_path());
    return now->second.listed == name;
  }
  /// The folders whose listings were not recognized before the threads ended.
  std::vector<std::string> rest() const;

 private:
  enum class Verdict { unknown, other, search, metadata };

  struct Thread {
    std::string last_look;  ///< the path that the thread looked up in its last call; empty after another call
    int looks = 0;          ///< how many times in a row the thread looked up `last_look`
    std::string opened;     ///< the folder that the thread opened directly after looking it up
    int looks_before = 0;   ///< how many times in a row the thread looked up that folder before opening it
    FolderTime time;        ///< when the opened folder last changed
    std::string listed;     ///< the real name of the opened folder, once it has been listed
    bool is_first = false;  ///< whether this would be Python's first search of the folder
    bool may_be_search = false;
    std::vector<std::string> module_path;
    std::string module;  ///< a module in the listed folder that the thread looked up since
    int module_looks = 0;
    std::string next;  ///< the later folder of sys.path that the thread looked up last
  };

  bool has_changed(const std::string& path, const FolderTime& time) const;
  void begin(Thread& now, const std::string& name, std::vector<std::string> module_path) const;
  std::optional<Outcome> settle(Thread& now, const std::string& path, const FolderTime* opened);
  Verdict verdict(Thread& now, const std::string& path, const FolderTime* opened) const;
  static Verdict verdict_inside(Thread& now, const std::string& path, std::string_view rest);

  std::map<int, Thread> threads_;
  std::map<std::string, FolderTime> searched_;  ///< the times of the folders when Python last searched them
  bool has_metadata_ = false;                   ///< whether a program imported importlib.metadata
};

}  // namespace kml
