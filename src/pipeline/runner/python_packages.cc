#include "pipeline/runner/python_packages.h"

#include <sys/stat.h>

#include <algorithm>
#include <optional>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/json.h"
#include "kml/base/system_calls.h"
#include "kml/base/text.h"

namespace kml::pipeline {

namespace {

namespace fs = std::filesystem;

/// Limits for a folder of modules whose files are read.
constexpr size_t kMostRead = 2'000;
constexpr uintmax_t kMostReadBytes = uintmax_t{64} << 20;

std::vector<fs::path> entries_in(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code failure;
  for (fs::directory_iterator at(folder, failure), end; !failure && at != end; at.increment(failure))
    entries.push_back(at->path());
  std::sort(entries.begin(), entries.end());
  return entries;
}

/// The folders of packages below a prefix such as /usr.
std::vector<fs::path> sites_below(const fs::path& prefix) {
  std::vector<fs::path> sites;
  for (const char* library : {"lib", "lib64", "local/lib"})
    for (const fs::path& python : entries_in(prefix / library))
      if (python.filename().string().starts_with("python"))
        for (const char* packages : {"site-packages", "dist-packages"}) sites.push_back(python / packages);
  return sites;
}

/// Whether the name is that of files that programs make or manage by themselves.
bool is_managed(const fs::path& path) {
  const std::string name = path.filename();
  std::error_code unknown;
  return name.starts_with('.') || name == "__pycache__" || name == "node_modules" || name.ends_with(".pyc") ||
         fs::exists(path / "pyvenv.cfg", unknown);
}

/// The files in a folder; empty if there are too many.
std::optional<std::vector<fs::path>> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failure;
  for (fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, failure),
       end;
       !failure && at != end; at.increment(failure)) {
    std::error_code unknown;
    if (is_managed(at->path())) {
      at.disable_recursion_pending();
    } else if (at->is_regular_file(unknown)) {
      files.push_back(at->path());
      if (files.size() > kMostRead) return {};
    } else if (at.depth() > 32) {
      return {};
    }
  }
  return files;
}

}  // namespace

void PythonPackages::add_interpreter(const fs::path& python) {
  const fs::path root = python.parent_path().parent_path();
  std::error_code unknown;
  const bool is_virtual = fs::exists(root / "pyvenv.cfg", unknown);
  for (const fs::path& site : sites_below(root)) add_site(site);
  if (is_virtual) {
    add_file("pyvenv.cfg", root / "pyvenv.cfg", true);
    const auto settings = read_file_if_exists(root / "pyvenv.cfg", size_t{1} << 20);
    if (!settings || !contains(*settings, "include-system-site-packages = true")) return;
  }
  const fs::path real = fs::canonical(python, unknown);
  if (!unknown)
    for (const fs::path& site : sites_below(real.parent_path().parent_path())) add_site(site);
  for (const fs::path& site : sites_below(fs::path(environment("HOME")) / ".local")) add_site(site);
}

void PythonPackages::add_search_path(const std::string& path) {
  for (const std::string& folder : split(path, ':'))
    if (!folder.empty()) add_folder(fs::absolute(folder).lexically_normal());
}

std::string PythonPackages::text() const {
  std::string text = "\n";  // so that a Python without packages differs from a missing Python
  for (const auto& [name, line] : lines_) text += json_text(Json(name)) + " " + line + "\n";
  return text;
}

void PythonPackages::add_site(const fs::path& folder) {
  if (folders_.insert(folder.string()).second)
    for (const fs::path& entry : entries_in(folder)) add_entry(entry);
}

/// A folder's own time is not used: it changes when Python first imports the package.
void PythonPackages::add_entry(const fs::path& entry) {
  const std::string name = entry.filename(), kind = entry.extension();
  if (kind == ".dist-info" || kind == ".egg-info") {
    const std::string stem = entry.stem();
    const size_t dash = stem.find('-');
    lines_[stem.substr(0, dash)] = dash == std::string::npos ? "" : stem.substr(dash + 1);
    return;
  }
  if (kind == ".py" || kind == ".pth" || kind == ".egg-link") add_file(name, entry, true);
  if (kind == ".so") add_file(name, entry, false);
  if (kind == ".pth" || kind == ".egg-link") add_folders_in(entry);
  if (kind.empty()) add_file(name + "/__init__.py", entry / "__init__.py", false);
}

/// Adds the folders that are listed in a .pth file, as for packages that are installed in place.
void PythonPackages::add_folders_in(const fs::path& pth) {
  const auto text = read_file_if_exists(pth, size_t{1} << 20);
  for (const std::string& line : split(text.value_or(""), '\n'))
    if (const std::string folder(trim(line)); !folder.empty() && !folder.starts_with("import "))
      add_folder((pth.parent_path() / folder).lexically_normal());
}

/// Reads the files. If they are too large, uses their sizes and times instead; if they are too many, only
/// those of the folder's own entries.
void PythonPackages::add_folder(const fs::path& folder) {
  std::error_code unknown;
  const fs::path place = fs::canonical(folder, unknown), code = fs::weakly_canonical(code_, unknown);
  const fs::path way = place.lexically_relative(code);
  const bool is_code = !way.empty() && *way.begin() != "..";
  if (place.empty() || is_code || !folders_.insert(folder.string()).second) return;
  auto files = files_below(place);
  uintmax_t bytes = 0;
  if (files)
    for (const fs::path& file : *files) bytes += fs::file_size(file, unknown);
  const bool is_read = files && bytes <= kMostReadBytes;
  if (!files) files = entries_in(place);
  for (const fs::path& file : *files) add_file(file.string(), file, is_read);
}

void PythonPackages::add_file(const std::string& name, const fs::path& file, bool is_read) {
  struct stat at {};
  if (::stat(file.c_str(), &at) != 0) return;
  std::string line =
      std::to_string(at.st_size) + " " + std::to_string(modification_time(at).time_since_epoch().count());
  if (is_read && S_ISREG(at.st_mode)) try {
      line = digests_.of(file);
    } catch (const Error&) {
      // an unreadable file cannot be imported either
    }
  lines_[name] = std::move(line);
}

}  // namespace kml::pipeline
