#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "kml/base/json.h"

namespace kml::packages {

/// A lock that uv has written (uv.lock, or the lock of a script), and the files that uv reads to check the
/// lock.
struct UvLock {
  std::filesystem::path file = {};  ///< absolute
  std::string text = {};            ///< the lock; empty if there is none
  /// The pyproject.toml files of the projects that the lock lists, by their absolute folders.
  std::map<std::filesystem::path, Json> projects = {};
  /// Wheels, and folders with wheels, that the lock names by relative paths.
  std::vector<std::filesystem::path> in_place = {};
  std::string unchecked = {};  ///< why kml cannot let uv check the lock; empty if it can

  bool exists() const { return !text.empty(); }
  std::string name() const { return file.filename(); }
};

/// The uv.lock beside a pyproject.toml with these keys or, if that project is a member of a workspace, of the
/// workspace. Throws Error if a file is invalid.
UvLock lock_of_project(const std::filesystem::path& pyproject, const Json& keys);

/// The lock of `uv lock --script`.
UvLock lock_of_script(const std::filesystem::path& script);

/// Whether a table [tool.uv.sources] names anything but members of the workspace.
bool names_places(const Json& sources);

/// The keys of a pyproject.toml or of a script's header that uv needs to check a lock. Replaces the build
/// backend, because uv would otherwise build some projects in spite of --no-build. Without trust, leaves out
/// settings that would make uv contact other servers or write to other places.
Json checkable(const Json& keys, bool is_trusted);

}  // namespace kml::packages
