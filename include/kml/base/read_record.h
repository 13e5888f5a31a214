#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// defines: PathKind, PathSeen, ReadRecord, Reads, parse_reads. Uses no exceptions, because kml-step is linked
// without support for them.

namespace kml {

enum class PathKind { missing, file, folder, link, other };

/// What was at a path just before a program's system call.
struct PathSeen {
  PathKind kind = PathKind::missing;
  bool is_new = false;  ///< whether the path has changed, or may have changed, since the recording began
};

/// What a program read in a folder, according to its system calls. Names are relative to the folder; "." is
/// the folder itself. Each name has the state that it had when the program first asked for it. A file is left
/// out once the program itself has written it.
struct Reads {
  struct List {
    std::map<std::string, PathKind> entries;
    /// whether only Python's import system listed the folder, so that only modules and folders in it matter
    bool is_of_imports = true;
  };

  std::map<std::string, PathKind> looked_up = {};
  std::set<std::string> own_folders =
      {};  ///< folders that were missing when the program looked them up, and that it then created
  std::map<std::string, PathKind> tested =
      {};  ///< names that the program only removed, without reading their content
  std::map<std::string, List> lists = {};  ///< the folders that the program listed
  std::set<std::string> made = {};         ///< the names that the program created, replaced or removed
  std::set<std::string> changed =
      {};  ///< names that other programs changed between the start of the recording and the first reading
  std::string unsure = {};  ///< why something may have been missed; empty if nothing was
};

/// Reads the text of a ReadRecord. Returns nothing if the text is damaged or incomplete.
std::optional<Reads> parse_reads(std::string_view text);

/// Whether Python could import an entry of a folder: a file by its extension; a folder, or a link to one, by
/// a name without dots.
bool is_importable(std::string_view name, PathKind kind);

/// Collects system calls into Reads. A call may fail after it was collected, so a path counts as created only
/// once a later call has found it.
class ReadRecord {
 public:
  using Entries = std::vector<std::pair<std::string, PathSeen>>;

  /// The program reads a file, or asks where a path leads.
  void look(const std::string& name, PathSeen seen);
  /// The program changes a file or its mode in place, without reading the file.
  void write(const std::string& name, PathSeen seen);
  /// The program creates or replaces a file or link.
  void make(const std::string& name, PathSeen seen);
  void make_folder(const std::string& name, PathSeen seen);
  void remove(const std::string& name, PathSeen seen);
  void rename(const std::string& from, PathSeen seen);
  /// The program lists a folder. `entries` is called only if the folder was not listed before.
  template <typename GetEntries>
  void list(const std::string& name, bool is_of_imports, const GetEntries& entries) {
    const auto [list, is_first] = reads_.lists.try_emplace(name);
    list->second.is_of_imports = list->second.is_of_imports && is_of_imports;
    if (is_first) add_entries(list->second, name, entries());
  }
  /// Records that the recording missed something, and why.
  void give_up(std::string_view why) {
    if (reads_.unsure.empty()) reads_.unsure = why;
  }

  std::string text() const;

 private:
  bool is_own(const std::string& name, PathSeen seen) const;
  void add_entries(Reads::List& list, const std::string& folder, const Entries& entries);

  Reads reads_;
  std::map<std::string, PathSeen> before_;  ///< what was at a path before the program first wrote to it
  std::set<std::string> removed_, folders_;
};

/// Recognizes the listings of Python's import system by the calls around them: it stats a folder, lists it,
/// and then either stats the next folder of modules, or opens a module of this one. Any other listing is not
/// recognized, so everything in its folder matters.
class ImportListings {
 public:
  /// A thread looks up a path. If this shows whether the thread's last listing came from Python's import
  /// system, returns the outcome.
  struct Outcome {
    std::string folder;
    bool is_of_imports = false;
  };
  std::optional<Outcome> look(int thread, const std::string& path);
  /// A thread opens a folder to list it.
  std::optional<Outcome> open(int thread, const std::string& path);
  /// A thread lists the folder. Returns whether the outcome is still unknown.
  bool list(int thread, const std::string& folder);
  /// The folders whose listings were not recognized before the threads ended.
  std::vector<std::string> rest() const;

 private:
  struct Thread {
    std::string last_look;  ///< the path that the thread looked up in its last call; empty after another call
    std::string opened;     ///< the folder that the thread opened directly after looking it up
    std::string listed;     ///< the real name of the opened folder, once it has been listed
  };
  std::map<int, Thread> threads_;
};

}  // namespace kml
