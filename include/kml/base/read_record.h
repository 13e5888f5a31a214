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
  bool is_new = false;  ///< whether it has changed since the recording began, or may have
};

/// What a program was seen to read in a folder. Names are relative to the folder, which is ".". Each name
/// counts as it was when the program first asked for it. Files that the program itself wrote do not count
/// afterwards.
struct Reads {
  struct List {
    std::map<std::string, PathKind> entries;
    /// whether only Python's import system listed it, so that only modules and folders matter
    bool is_of_imports = true;
  };

  std::map<std::string, PathKind> looked_up = {};
  std::set<std::string> own_folders = {};       ///< of these, those that were missing and that it then made
  std::map<std::string, PathKind> tested = {};  ///< names whose content was not read: it only removed them
  std::map<std::string, List> lists = {};       ///< the folders that it listed
  std::set<std::string> made = {};              ///< what it created, replaced or removed
  std::set<std::string> changed =
      {};                   ///< what others changed after the recording began and before it was read
  std::string unsure = {};  ///< why something may have been missed; empty if nothing was
};

/// Reads the text of a ReadRecord. Returns nothing if the text is damaged or incomplete.
std::optional<Reads> parse_reads(std::string_view text);

/// Whether Python could import an entry of a folder: a file by its extension; a folder, or a link to one, by
/// a name without dots.
bool is_importable(std::string_view name, PathKind kind);

/// Collects system calls into Reads. A call may still fail, so what it creates only counts as created when it
/// is seen to exist.
class ReadRecord {
 public:
  using Entries = std::vector<std::pair<std::string, PathSeen>>;

  /// Asks for the content of a file, or what a path leads to.
  void look(const std::string& name, PathSeen seen);
  /// Changes a file or its mode in place, without reading it.
  void write(const std::string& name, PathSeen seen);
  /// Creates or replaces a file or link.
  void make(const std::string& name, PathSeen seen);
  void make_folder(const std::string& name, PathSeen seen);
  void remove(const std::string& name, PathSeen seen);
  void rename(const std::string& from, PathSeen seen);
  /// Lists a folder. `entries` is called only if it was not listed before.
  template <typename GetEntries>
  void list(const std::string& name, bool is_of_imports, const GetEntries& entries) {
    const auto [list, is_first] = reads_.lists.try_emplace(name);
    list->second.is_of_imports = list->second.is_of_imports && is_of_imports;
    if (is_first) add_entries(list->second, name, entries());
  }
  /// The recording missed something.
  void give_up(std::string_view why) {
    if (reads_.unsure.empty()) reads_.unsure = why;
  }

  std::string text() const;

 private:
  bool is_own(const std::string& name, PathSeen seen) const;
  void add_entries(Reads::List& list, const std::string& folder, const Entries& entries);

  Reads reads_;
  std::map<std::string, PathSeen> before_;  ///< what was there before it was first written
  std::set<std::string> removed_, folders_;
};

/// Recognizes the listings of Python's import system by the calls around them: it stats a folder, lists it,
/// and then either stats the next folder of modules, or opens a module of this one. Other listings do not
/// count as recognized, so everything in those folders matters.
class ImportListings {
 public:
  /// A thread looks up a path. Returns the folder whose listing has now been recognized, or not.
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
    std::string last_look;  ///< the last path that it looked up, if that was its last call
    std::string opened;     ///< the folder that it opened directly after that
    std::string listed;     ///< the real name of that folder, once it has been listed
  };
  std::map<int, Thread> threads_;
};

}  // namespace kml
