#include "kml/base/missing_path.h"

#include <utility>
#include <vector>

#include "kml/base/suggestion.h"

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

Error not_a_file(const fs::path& path, const std::string& typed) {
  std::error_code fault;
  const std::string what = "cannot read " + typed;
  if (fs::is_directory(path, fault)) return usage_error(what, "it is a folder", "name a file in it");
  if (fs::exists(path, fault)) return usage_error(what, "it is not a regular file");
  return usage_error(what, "it does not exist", fix_for_missing(path));
}

Error not_a_folder(const fs::path& path, std::string typed) {
  std::error_code fault;
  const bool exists = fs::exists(path, fault);
  return usage_error((typed.empty() ? path.string() : std::move(typed)) + " is not a folder",
                     exists ? "" : "it does not exist", exists ? "" : fix_for_missing(path));
}

}  // namespace kml
