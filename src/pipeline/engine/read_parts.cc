#include "pipeline/engine/read_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "pipeline/engine/list_names.h"

namespace kml::pipeline {

namespace fs = std::filesystem;

namespace {

std::string inside(const std::string& folder, const std::string& name) {
  return folder == "." ? name : folder + "/" + name;
}

PathKind kind_of_entry(const fs::file_status& at) {
  switch (at.type()) {
    case fs::file_type::not_found: return PathKind::missing;
    case fs::file_type::regular: return PathKind::file;
    case fs::file_type::directory: return PathKind::folder;
    case fs::file_type::symlink: return PathKind::link;
    default: return PathKind::other;
  }
}

/// Whether a file with this name is code that can affect a program. Leaves out the files of version control
/// and of kml, and by-products.
bool counts(const std::string& name, const CodeFolder& folder) {
  const bool is_state =
      !folder.state.empty() && (name == folder.state || name.starts_with(folder.state + "/"));
  return !is_state && !is_by_product(name) && name != ".git" && !name.starts_with(".git/");
}

bool has_files_below(const CodeFolder& folder, const std::string& name) {
  const auto next = folder.files.lower_bound(name + "/");
  return next != folder.files.end() && next->first.starts_with(name + "/");
}

/// Files that are not code, such as those that git ignores, are left out, whatever is in them.
std::string state_of(const std::string& name, bool is_own_folder, const CodeFolder& folder) {
  if (const auto file = folder.files.find(name); file != folder.files.end()) return file->second;
  const PathKind kind = folder.kind_of(name);
  if (is_own_folder && (kind == PathKind::missing || kind == PathKind::folder)) return " made if missing";
  if (kind == PathKind::missing) return kMissing;
  return kind == PathKind::folder ? " folder" : " left out";
}

/// The mode of a code file or of a folder, if the step asked for it.
std::string mode_if_asked(const std::string& name, const Reads& reads, const CodeFolder& folder) {
  if (!reads.modes.contains(name)) return {};
  const bool is_code = folder.files.contains(name) || folder.kind_of(name) == PathKind::folder;
  return is_code ? fmt::format(" mode {:o}", folder.mode_of(name)) : std::string();
}

/// What a program learns from a system call that neither reads nor lists the path: whether anything is there,
/// and whether it is a folder.
std::string state_of_tested(PathKind kind) {
  return kind == PathKind::missing ? kMissing : kind == PathKind::folder ? " folder" : " there";
}

/// A listing also tells a program the kinds of the entries (d_type of getdents(2)). Python's import system
/// only uses their names.
std::string state_of_listed(const Reads::List& list, PathKind kind) {
  if (list.is_of_imports) return " listed";
  switch (kind) {
    case PathKind::folder: return " listed folder";
    case PathKind::link: return " listed link";
    case PathKind::file: return " listed file";
    default: return " listed";
  }
}

/// The entries of a listing that matter to the program.
std::map<std::string, PathKind> entries_that_count(const std::string& name, const Reads::List& list,
                                                   const CodeFolder& folder) {
  std::map<std::string, PathKind> names;
  for (const auto& [entry, kind] : folder.entries_of(name)) {
    const std::string path = inside(name, entry);
    const bool is_code =
        kind == PathKind::folder || folder.files.contains(path) || has_files_below(folder, path);
    if (is_code && counts(path, folder) && !folder.made_by_steps.contains(path) &&
        (!list.is_of_imports || is_importable(entry, kind)))
      names[path] = kind;
  }
  return names;
}

}  // namespace

CodeFolder folder_seen(std::map<std::string, std::string> files, const Reads& reads) {
  return {.files = std::move(files),
          .kind_of =
              [&reads](const std::string& name) {
                for (const auto* kinds : {&reads.looked_up, &reads.tested})
                  if (const auto found = kinds->find(name); found != kinds->end()) return found->second;
                return PathKind::file;  // a file that the step wrote
              },
          .entries_of = [&reads](const std::string& name) { return reads.lists.at(name).entries; },
          .mode_of = [&reads](const std::string& name) { return reads.modes.at(name); }};
}

CodeFolder folder_here(std::map<std::string, std::string> files, const std::string& path) {
  return {.files = std::move(files),
          .kind_of =
              [path](const std::string& name) {
                std::error_code unknown;
                return kind_of_entry(fs::symlink_status(path + "/" + name, unknown));
              },
          .entries_of =
              [path](const std::string& name) {
                std::map<std::string, PathKind> entries;
                std::error_code failure;
                for (fs::directory_iterator at(path + "/" + name, failure), end; !failure && at != end;
                     at.increment(failure)) {
                  std::error_code unknown;
                  entries[at->path().filename()] = kind_of_entry(at->symlink_status(unknown));
                }
                return entries;
              },
          .mode_of =
              [path](const std::string& name) {
                std::error_code unknown;
                return static_cast<unsigned>(fs::symlink_status(path + "/" + name, unknown).permissions());
              }};
}

std::string read_list(const Reads& reads, const CodeFolder& folder) {
  std::map<std::string, std::string> lines;
  for (const auto& [name, list] : reads.lists) {
    lines[name + "/"] = list.is_of_imports ? " modules" : " list";
    for (const auto& [entry, kind] : entries_that_count(name, list, folder))
      lines[entry] = state_of_listed(list, kind);
  }
  for (const auto& [name, kind] : reads.tested)
    if (counts(name, folder)) lines.try_emplace(name, state_of_tested(folder.kind_of(name)));
  for (const auto& [name, kind] : reads.looked_up)
    if (counts(name, folder))
      lines[name] =
          state_of(name, reads.own_folders.contains(name), folder) + mode_if_asked(name, reads, folder);
  for (const std::string& name : reads.written)
    if (counts(name, folder) && !lines.contains(name) && folder.kind_of(name) == PathKind::folder)
      lines[name] = " folder";
  std::string text;
  for (const auto& [name, state] : lines) text += name_in_list(name) + state + "\n";
  return text;
}

std::string changed_before_read(const Reads& reads, const CodeFolder& seen) {
  for (const std::string& name : reads.changed)
    if (counts(name, seen)) return name;
  for (const auto& [name, kind] : reads.looked_up) {
    const auto file = seen.files.find(name);
    const bool was_there = file != seen.files.end();
    const bool was_link = was_there && file->second.starts_with(" link ");
    if (counts(name, seen) && (was_there ? kind != (was_link ? PathKind::link : PathKind::file)
                                         : kind == PathKind::missing && has_files_below(seen, name)))
      return name;
  }
  for (const auto& [folder, list] : reads.lists)
    for (const auto& [file, state] : seen.files) {
      const std::string top = inside(folder, "");
      if (folder != "." && !file.starts_with(top)) continue;
      const std::string rest = folder == "." ? file : file.substr(top.size());
      const std::string entry = rest.substr(0, rest.find('/'));
      if (const auto found = list.entries.find(entry);
          found == list.entries.end() ? !reads.made.contains(inside(folder, entry))
                                      : (found->second == PathKind::folder) != (entry != rest))
        return file;
    }
  return {};
}

bool is_by_product(const std::string& name) {
  return ("/" + name + "/").find("/__pycache__/") != std::string::npos || name.ends_with(".pyc") ||
         fs::path(name).filename() == ".DS_Store";
}

}  // namespace kml::pipeline
