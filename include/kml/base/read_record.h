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
  unsigned mode = 0;    ///< the permission bits of a file or folder
};

/// What a program read in a folder, according to its system calls. Names are relative to the folder; "." is
/// the folder itself. Each name has the state that it had when the program first asked for it. A file is left
/// out once the program itself has written it.
struct Reads {
  struct List {
    std::map<std::string, PathKind> entries;
    /// whether only Python's import system listed the folder; if so, only modules and folders in it matter
    bool is_of_imports = true;
  };

  std::map<std::string, PathKind> looked_up = {};
  std::set<std::string> own_folders =
      {};  ///< folders that were missing when the program looked them up, and that it then created
  /// names that a call required to exist or to be free, and the kind of what was there
  std::map<std::string, PathKind> tested = {};
  std::map<std::string, unsigned> modes = {};  ///< the permission bits of the names whose mode was asked for
  /// files that the program wrote; writing fails if a folder has the name
  std::set<std::string> written = {};
  std::map<std::string, List> lists = {};  ///< the folders that the program listed
  std::set<std::string> made = {};         ///< the names that the program created, replaced or removed
  std::set<std::string> changed =
      {};  ///< names that other programs changed between the start of the recording and the first reading
  std::string unsure = {};  ///< why something may have been missed; empty if nothing was
};

/// Reads the text of a ReadRecord. Returns nothing if the text is damaged or incomplete, or comes from a
/// kml-step with another format.
std::optional<Reads> parse_reads(std::string_view text);

/// Whether the import system of Python could use an entry of a folder: a module by its extension; a folder or
/// a link by a name without dots; the description of a package by its extension.
bool is_importable(std::string_view name, PathKind kind);

/// Collects system calls into Reads. A call may fail after it was collected, so a path counts as created only
/// once a later call has found it.
class ReadRecord {
 public:
  using Entries = std::vector<std::pair<std::string, PathSeen>>;

  /// The program reads a file, or asks where a path leads.
  void look(const std::string& name, PathSeen seen);
  /// The program asks about a file or folder, including its mode.
  void ask(const std::string& name, PathSeen seen);
  /// A call succeeds only if something is there, or only if nothing is there.
  void test(const std::string& name, PathSeen seen);
  /// The program changes a file or its mode in place, without reading the file.
  void write(const std::string& name, PathSeen seen);
  /// The program creates or replaces a file or link.
  void make(const std::string& name, PathSeen seen);
  /// The program creates a file or link, by a call that fails if the name is taken.
  void create(const std::string& name, PathSeen seen);
  void make_folder(const std::string& name, PathSeen seen);
  /// The program gives this name to the file or folder that was passed to rename() before.
  void replace(const std::string& name, PathSeen seen);
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
  PathSeen first_seen(const std::string& name, PathSeen seen) const;
  void add_entries(Reads::List& list, const std::string& folder, const Entries& entries);

  Reads reads_;
  std::map<std::string, PathSeen> before_;  ///< what was at a path before the program first wrote to it
  std::set<std::string> removed_, folders_;
  PathKind renamed_ = PathKind::missing;  ///< the kind of the entry that was renamed last
};

}  // namespace kml
