#include "pipeline/runner/code_list.h"

#include <algorithm>

#include "kml/base/error.h"
#include "kml/base/sha256.h"
#include "kml/base/text.h"
#include "pipeline/engine/list_names.h"
#include "pipeline/runner/written_paths.h"

namespace kml::pipeline {

namespace {

namespace fs = std::filesystem;

/// Limits for the files whose digests are computed in each run.
constexpr uintmax_t kMostBytes = uintmax_t{1} << 30;
constexpr size_t kMostFiles = 50'000;

/// How many links in a row are followed.
constexpr int kMostLinks = 8;

bool is_in(const std::string& file, std::string path) {
  path = fs::path(path).lexically_normal().string();
  if (path.ends_with('/')) path.pop_back();
  return path == "." || file == path || file.starts_with(path + "/");
}

std::vector<job::CodeFile> only(std::vector<job::CodeFile> files, const std::vector<std::string>& paths) {
  if (paths.empty()) return files;
  for (const std::string& path : paths)
    if (std::none_of(files.begin(), files.end(),
                     [&](const job::CodeFile& file) { return is_in(file.name, path); }))
      throw usage_error(
          "code.paths matches no file: " + path,
          "paths are relative to the code's folder, and files that git ignores are left out",
          "name the folder, `code: {folder: .., paths: [src]}`; for data, use an input: {path: FILE}");
  std::erase_if(files, [&](const job::CodeFile& file) {
    return std::none_of(paths.begin(), paths.end(),
                        [&](const std::string& path) { return is_in(file.name, path); });
  });
  return files;
}

void refuse_too_much(uintmax_t files, uintmax_t bytes, const fs::path& folder) {
  if (files <= kMostFiles && bytes <= kMostBytes) return;
  throw usage_error(
      "too many files for a step's code in " + folder.string(),
      std::to_string(files) + " files, " + std::to_string(bytes >> 20) +
          " MiB, including the files that links lead to; kml compares them all, because a change to any file "
          "that a step may read makes the step run again",
      "list the files that the step needs, `code: {paths: [train.py, lib]}`, or let git ignore the others");
}

/// The stamps of the folders of the files, and of the files that say what git ignores.
std::map<std::string, std::string> stamps_for(const fs::path& folder,
                                              const std::vector<job::CodeFile>& files) {
  std::map<std::string, std::string> stamps = {{folder.string(), settled_stamp(folder)}};
  for (const job::CodeFile& file : files) {
    const fs::path name = file.name;
    if (name.filename() == ".gitignore") stamps[(folder / name).string()] = settled_stamp(folder / name);
    for (fs::path above = name.parent_path(); !above.empty(); above = above.parent_path()) {
      const auto [known, is_new] = stamps.try_emplace((folder / above).string());
      if (!is_new) break;
      known->second = settled_stamp(folder / above);
    }
  }
  return stamps;
}

bool are_current(const std::map<std::string, std::string>& stamps) {
  return !stamps.empty() && std::all_of(stamps.begin(), stamps.end(), [](const auto& stamp) {
    return !stamp.second.empty() && settled_stamp(stamp.first) == stamp.second;
  });
}

/// Folders of packages, which are not the user's own code.
bool holds_packages(const fs::path& folder) {
  std::error_code unknown;
  return fs::exists(folder / "pyvenv.cfg", unknown) || folder.filename() == "node_modules";
}

bool is_above(const fs::path& folder, const fs::path& inner) {
  const fs::path way = inner.lexically_relative(folder);
  return !way.empty() && *way.begin() != "..";
}

}  // namespace

std::string CodeList::text(const fs::path& folder, const std::vector<std::string>& paths,
                           const std::vector<std::string>& written) {
  std::vector<job::CodeFile> files = only(files_in(folder, paths), paths);
  std::erase_if(files, [&](const job::CodeFile& file) {
    return is_left_out_(folder, file.name) || is_written(file.name, written);
  });
  Covered covered{.folder = fs::canonical(folder), .is_whole = paths.empty()};
  for (const job::CodeFile& file : files) {
    covered.names.push_back(file.name);
    ++covered.files;
    covered.bytes += file.size;
  }
  refuse_too_much(covered.files, covered.bytes, folder);
  std::string text;
  for (const job::CodeFile& file : files) text += line(folder, file, covered, 0);
  return text;
}

const std::vector<job::CodeFile>& CodeList::files_in(const fs::path& folder,
                                                     const std::vector<std::string>& paths) {
  Listing& known = listings_[folder.string() + "\n" + join(paths, "\n")];
  if (are_current(known.stamps)) return known.files;
  const auto may_count = [&](const std::string& inner) {
    return paths.empty() || std::any_of(paths.begin(), paths.end(), [&](const std::string& path) {
             return is_in(inner, path) || is_in(fs::path(path).lexically_normal(), inner);
           });
  };
  // The stamps are read before the names, so that a name that appears in between is noticed the next time.
  std::map<std::string, std::string> stamps = stamps_for(folder, known.files);
  known.files = job::code_files(folder, may_count);
  for (auto& [path, stamp] : stamps_for(folder, known.files))
    if (!stamps.contains(path)) stamps[path] = stamp;
  known.stamps = std::move(stamps);
  return known.files;
}

std::string CodeList::line(const fs::path& folder, const job::CodeFile& file, Covered& covered, int links) {
  const fs::path path = folder / file.name;
  const std::string digest =
      file.is_link ? sha256_hex(fs::read_symlink(path).string() + link_content(path, covered, links))
                   : digests_.of(path);
  return name_in_list(file.name) +
         (file.is_link         ? " link "
          : file.is_executable ? " 755 "
                               : " 644 ") +
         digest + "\n";
}

/// What is behind a link that leads out of the code: a file's digest, or a line for each file in a folder.
/// Empty for other links, because their targets are code themselves, or are ignored.
std::string CodeList::link_content(const fs::path& link, Covered& covered, int links) {
  std::error_code unknown;
  const fs::path target = fs::canonical(link, unknown);
  if (unknown || links == kMostLinks) return {};
  const bool is_inside = is_above(covered.folder, target);
  if (is_inside && covered.is_whole) return {};
  const std::string name = target.lexically_relative(covered.folder).string();
  if (is_inside && std::any_of(covered.names.begin(), covered.names.end(), [&](const std::string& each) {
        return is_in(each, name) || is_in(name, each);
      }))
    return {};
  if (fs::is_regular_file(target, unknown)) {
    refuse_too_much(++covered.files, covered.bytes += fs::file_size(target, unknown), covered.folder);
    return "\n" + digests_.of(target);
  }
  if (!fs::is_directory(target, unknown) || holds_packages(target) || is_above(target, covered.folder))
    return {};
  std::string text = "\n";
  const std::vector<job::CodeFile> files = files_in(target, {});
  for (const job::CodeFile& file : files)
    refuse_too_much(++covered.files, covered.bytes += file.size, covered.folder);
  for (const job::CodeFile& file : files)
    if (!is_left_out_(target, file.name)) text += line(target, file, covered, links + 1);
  return text;
}

}  // namespace kml::pipeline
