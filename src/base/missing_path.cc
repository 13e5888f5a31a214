#include "kml/base/missing_path.h"

#include <utility>
#include <vector>

#include "kml/base/suggestion.h"
#include "kml/base/text.h"

namespace kml {

namespace fs = std::filesystem;

namespace {

/// Names in the folder, but only as many as can be listed quickly.
std::vector<std::string> names_in(const fs::path& folder) {
  constexpr size_t kMost = 10'000;
  std::vector<std::string> names;
  std::error_code fault;
  for (fs::directory_iterator at(folder, fault), end; !fault && at != end && names.size() < kMost;
       at.increment(fault))
    names.push_back(at->path().filename().string());
  return names;
}

/// How to find out why the user may not enter a folder in the path.
std::string fix_for_closed(const fs::path& path) {
  std::error_code fault;
  fs::path folder = fs::absolute(path, fault).lexically_normal().parent_path();
  while (folder.has_relative_path() && !fs::exists(folder, fault)) folder = folder.parent_path();
  return "see who may enter the folder: ls -ld " + shell_quoted(std::vector{folder.string()});
}

}  // namespace

std::string fix_for_missing(const fs::path& path) {
  std::error_code fault;
  fs::path missing = fs::absolute(path, fault).lexically_normal();
  if (!missing.has_filename()) missing = missing.parent_path();
  while (missing.has_relative_path() && !fs::exists(missing.parent_path(), fault))
    missing = missing.parent_path();
  if (fs::is_symlink(fs::symlink_status(missing, fault)))
    return missing.string() + " is a link to " + fs::read_symlink(missing, fault).string() +
           ", which does not exist";
  const std::string folder = missing.parent_path().string();
  const std::string name = missing.filename().string();
  return suggestion(name, names_in(folder), "check the path: " + folder + " does not contain " + name);
}

std::optional<PathFault> fault_of_path(const fs::path& path) {
  std::error_code fault;
  if (fs::exists(path, fault)) return {};
  if (!fault) return PathFault{"it does not exist", fix_for_missing(path)};
  const bool is_closed = fault == std::errc::permission_denied;
  return PathFault{fault.message(), is_closed ? fix_for_closed(path) : ""};
}

Error not_a_file(const fs::path& path, const std::string& typed) {
  std::error_code fault;
  const std::string what = "cannot read " + typed;
  if (fs::is_directory(path, fault)) return usage_error(what, "it is a folder", "name a file in it");
  const auto found = fault_of_path(path);
  return found ? usage_error(what, found->why, found->fix) : usage_error(what, "it is not a regular file");
}

Error not_a_folder(const fs::path& path, std::string typed) {
  const PathFault found = fault_of_path(path).value_or(PathFault());
  return usage_error((typed.empty() ? path.string() : std::move(typed)) + " is not a folder", found.why,
                     found.fix);
}

}  // namespace kml
