#include "job/packages/uv_lock.h"

#include <algorithm>

#include "job/packages/toml.h"
#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/text.h"

namespace kml::packages {

namespace fs = std::filesystem;

namespace {

constexpr size_t kLargestLock = size_t{64} << 20;

/// The settings of uv that determine a lock, except those that say where packages come from.
constexpr const char* kOfLock[] = {"build-constraint-dependencies",
                                   "conflicts",
                                   "constraint-dependencies",
                                   "default-groups",
                                   "dependency-groups",
                                   "dependency-metadata",
                                   "dev-dependencies",
                                   "environments",
                                   "exclude-dependencies",
                                   "exclude-newer",
                                   "exclude-newer-package",
                                   "fork-strategy",
                                   "index-strategy",
                                   "managed",
                                   "no-binary",
                                   "no-binary-package",
                                   "override-dependencies",
                                   "package",
                                   "prerelease",
                                   "required-environments",
                                   "resolution",
                                   "workspace"};

/// The lines of uv.lock that say where a package is from, except for packages from a server.
std::vector<Json> local_sources(const std::string& lock, const std::string& name) {
  std::vector<Json> sources;
  for (const std::string& line : split(lock, '\n')) {
    if (!line.starts_with("source = {") || contains(line, "://")) continue;
    Json source = object_at(read_toml(line, name), {"source"});
    if (std::ranges::find(sources, source) == sources.end()) sources.push_back(std::move(source));
  }
  return sources;
}

/// The folder of a project in the lock, relative to the lock's folder; empty for other sources.
std::string project_in(const Json& source) {
  for (const char* kind : {"editable", "virtual", "directory"})
    if (source.contains(kind)) return string_at(source, {kind});
  return {};
}

fs::path joined(const fs::path& folder, const std::string& relative) {
  fs::path path = (folder / relative).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

bool lists_project(const UvLock& lock, const fs::path& folder) {
  return std::ranges::any_of(local_sources(lock.text, lock.name()), [&](const Json& source) {
    const std::string project = project_in(source);
    return !project.empty() && joined(lock.file.parent_path(), project) == folder;
  });
}

/// The lock of the workspace that this folder belongs to; without text if there is none.
UvLock lock_of_workspace(const fs::path& folder) {
  for (fs::path above = folder.parent_path(); above != above.root_path(); above = above.parent_path()) {
    UvLock lock{.file = above / "uv.lock"};
    std::error_code none;
    if (!fs::is_regular_file(lock.file, none) || !fs::is_regular_file(above / "pyproject.toml", none))
      continue;
    lock.text = read_own_file(lock.file, kLargestLock);
    if (lists_project(lock, folder)) return lock;
  }
  return {};
}

/// Whether uv would have to run the project's build backend to know what it depends on.
bool needs_build(const Json& keys) {
  for (const Json& name : array_at(keys, {"project", "dynamic"}))
    for (const char* part : {"dependencies", "optional-dependencies", "requires-python"})
      if (name == part) return true;
  return !keys.contains("project") && !find(keys, {"tool", "uv", "workspace"});
}

void add_project(UvLock& lock, const fs::path& folder, const std::string& shown) {
  const auto text = read_file_if_exists(folder / "pyproject.toml", kLargestLock);
  const Json keys = text ? read_toml(*text, shown + "/pyproject.toml") : Json::object();
  if (needs_build(keys))
    lock.unchecked =
        "only the build backend of " + (shown == "." ? "the project" : shown) + " knows its dependencies";
  lock.projects[folder] = keys;
}

void add_source(UvLock& lock, const Json& source) {
  const fs::path folder = lock.file.parent_path();
  if (const std::string project = project_in(source); project.starts_with('/'))
    lock.unchecked = "it names the folder " + project + " by its absolute path";
  else if (!project.empty())
    add_project(lock, joined(folder, project), project);
  for (const char* kind : {"path", "registry"})
    if (const std::string place = string_at(source, {kind}); !place.empty() && !place.starts_with('/'))
      lock.in_place.push_back(joined(folder, place));
}

void add_sources(UvLock& lock) {
  for (const Json& source : local_sources(lock.text, lock.name())) add_source(lock, source);
}

/// The entries of [tool.uv.sources] that only name members of the workspace.
Json members_in(const Json& sources) {
  Json members = Json::object();
  for (const auto& [name, source] : sources.items())
    if (!names_places({{name, source}})) members[name] = source;
  return members;
}

Json settings_of_lock(const Json& uv) {
  Json settings = Json::object();
  for (const char* key : kOfLock)
    if (uv.contains(key)) settings[key] = uv[key];
  if (uv.contains("sources")) settings["sources"] = members_in(uv["sources"]);
  return settings;
}

/// uv decides by [build-system] whether it would build the project, and records this in the lock.
bool is_package(const Json& keys) {
  return keys.contains("build-system") || bool_at(keys, {"tool", "uv", "package"});
}

}  // namespace

UvLock lock_of_project(const fs::path& pyproject, const Json& keys) {
  const fs::path folder = pyproject.parent_path();
  UvLock lock{.file = folder / "uv.lock"};
  lock.text = read_file_if_exists(lock.file, kLargestLock).value_or("");
  if (!lock.exists()) lock = lock_of_workspace(folder);
  if (!lock.exists()) return lock;
  add_sources(lock);
  if (!lock.projects.contains(lock.file.parent_path())) add_project(lock, lock.file.parent_path(), ".");
  lock.projects[folder] = keys;
  return lock;
}

UvLock lock_of_script(const fs::path& script) {
  UvLock lock{.file = script.string() + ".lock"};
  lock.text = read_file_if_exists(lock.file, kLargestLock).value_or("");
  add_sources(lock);
  return lock;
}

bool names_places(const Json& sources) {
  if (!sources.is_object()) return true;
  for (const auto& [name, source] : sources.items()) {
    if (!source.is_object() || !bool_at(source, {"workspace"})) return true;
    for (const char* place : {"path", "git", "url", "index"})
      if (source.contains(place)) return true;
  }
  return false;
}

Json checkable(const Json& keys, bool is_trusted) {
  Json kept = Json::object();
  for (const char* key : {"project", "dependency-groups", "requires-python", "dependencies"})
    if (keys.contains(key)) kept[key] = keys[key];
  const Json& uv = object_at(keys, {"tool", "uv"});
  if (!uv.empty()) kept["tool"]["uv"] = is_trusted ? uv : settings_of_lock(uv);
  if (is_package(keys))
    kept["build-system"] = {
        {"requires", Json::array()}, {"build-backend", "kml_never_builds"}, {"backend-path", {"."}}};
  return kept;
}

}  // namespace kml::packages
