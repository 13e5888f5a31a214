#include "job/packages/installed_here.h"

#include <algorithm>

#include "job/packages/indexes.h"
#include "job/packages/lock.h"
#include "job/packages/resolve_error.h"
#include "job/packages/uv.h"
#include "job/packages/wheels.h"
#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/text.h"
#include "kml/base/waiting.h"
#include "kml/job/packages/locked.h"

namespace kml::packages {

namespace fs = std::filesystem;

namespace {

/// uv's notes about an installation on this machine, which contain times.
constexpr std::string_view kUvCache = "uv_cache.json";
constexpr const char* kUvLock = ".lock";

std::vector<std::string> install_words(const fs::path& lock, const ImageTarget& target,
                                       const std::string& platform, const fs::path& folder) {
  std::vector<std::string> words = {"pip",
                                    "install",
                                    "--target",
                                    folder,
                                    "--no-deps",
                                    "--require-hashes",
                                    "--only-binary",
                                    ":all:",
                                    "--python-version",
                                    target.python,
                                    "--python-platform",
                                    platform,
                                    "--link-mode",
                                    "copy",
                                    "--color",
                                    "never",
                                    "--quiet",
                                    "-r",
                                    lock};
  std::ranges::move(Uv::own_config_flags(), std::back_inserter(words));
  return words;
}

void require_target_python(const PackagesOfImage& packages, const ImageTarget& target) {
  if (!is_older(target.python, lowest_python(packages.requires_python))) return;
  throw usage_error(
      "the image has Python " + target.python, packages.shown + " asks for " + packages.requires_python,
      "use an image with such a Python, such as python:" + lowest_python(packages.requires_python));
}

/// uv writes the path of a Python on this machine into programs: "#!/usr/bin/python3.11", or a command of sh
/// if that path is long.
void use_python_of_image(const fs::path& program) {
  constexpr std::string_view kDirect = "#!/", kByShell = "#!/bin/sh\n'''exec' ", kEndOfShell = "\n' '''\n";
  const std::string text = read_file(program);
  if (!text.starts_with(kDirect)) return;
  const bool is_by_shell = text.starts_with(kByShell);
  const size_t line = text.find('\n');
  if (line == std::string::npos || (!is_by_shell && !contains(text.substr(0, line), "python"))) return;
  const size_t end = is_by_shell ? text.find(kEndOfShell) + kEndOfShell.size() : line + 1;
  if (end > text.size()) return;
  write_file_atomically(program, "#!/usr/bin/env python3\n" + text.substr(end), 0755);
}

/// Removes what depends on this machine from a package's list of files: programs' hashes, and uv's notes.
void clean_record(const fs::path& record) {
  std::string kept;
  for (const std::string& line : split(read_file(record), '\n')) {
    const std::string name = line.substr(0, line.find(','));
    if (line.empty() || name.ends_with(kUvCache)) continue;
    kept += (name.starts_with("bin/") || name.starts_with("../../bin/") ? name + ",," : line) + "\n";
  }
  write_file_atomically(record, kept, 0644);
}

void clean(const fs::path& folder) {
  std::error_code none;
  fs::remove(folder / kUvLock, none);
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".dist-info") continue;
    fs::remove(entry.path() / kUvCache, none);
    if (const fs::path record = entry.path() / "RECORD"; fs::exists(record, none)) clean_record(record);
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(folder / "bin", none))
    if (entry.is_regular_file(none)) use_python_of_image(entry.path());
}

}  // namespace

void install_here(const PackagesOfImage& packages, const ImageTarget& target, const fs::path& folder) {
  require_target_python(packages, target);
  const std::string platform = uv_platform(target.processor, target.image);
  if (platform.empty())
    throw usage_error("kml cannot install packages for " + target.processor,
                      "it knows only the wheels for amd64 and arm64");
  const fs::path lock = folder.parent_path() / "lock.txt";
  write_file_atomically(lock, packages.lock);
  make_private_folder(folder);
  if (versions_in(packages.lock).empty() && !contains(packages.lock, "--hash=")) return;
  const Waiting waiting("getting the packages of " + packages.shown, host_of_index({}));
  const ProcessResult result =
      Uv(packages.flag)
          .run(install_words(lock, target, platform, folder), folder.parent_path(), packages.variables);
  const std::string reason = reason_in(result.out), what = "cannot install the packages of " + packages.shown;
  if (result.exit_code != 0)
    throw Error(ErrorCode::failure, what,
                reason + (is_about_network(reason) ? "; " + waiting.tried(host_in_reason(reason)) : ""),
                fix_for_install(reason, target.python, target.processor));
  clean(folder);
}

}  // namespace kml::packages
