#include "job/packages/wheels.h"

#include <algorithm>

#include "job/packages/conda_lock.h"
#include "job/packages/indexes.h"
#include "job/packages/resolve.h"
#include "job/packages/resolve_error.h"
#include "job/packages/scratch.h"
#include "job/packages/uv.h"
#include "kml/base/text.h"
#include "kml/base/waiting.h"
#include "kml/job/packages/locked.h"

namespace kml::packages {

namespace fs = std::filesystem;

namespace {

/// Leaves out uv's conclusions, and its hint with the platforms of the wheels that exist.
std::string first_sentence(const std::string& reason) {
  return reason.substr(0, std::min(reason.find(" and you require "), reason.find(", we can conclude")));
}

/// Lets uv look for a wheel of each package in the lock. Returns why a package has none; empty if each has
/// one, or if uv fails for another reason.
std::string reason_of_uv(const std::string& lock, const std::string& python, const std::string& platform) {
  const Scratch scratch;
  const fs::path file = scratch.path() / "lock.txt";
  write_file_atomically(file, lock);
  std::vector<std::string> words = {"pip",
                                    "compile",
                                    file,
                                    "--no-deps",
                                    "--no-build",
                                    "--generate-hashes",
                                    "--color",
                                    "never",
                                    "--quiet",
                                    "--python-version",
                                    python,
                                    "--python-platform",
                                    platform,
                                    "--output-file",
                                    scratch.path() / "found.txt"};
  std::ranges::move(Uv::own_config_flags(), std::back_inserter(words));
  const Waiting waiting("looking for wheels for the nodes", host_of_index({}));
  const ProcessResult result = Uv("looking for wheels").run(std::move(words), scratch.path());
  const std::string reason = reason_in(result.out);
  return result.exit_code != 0 && is_about_wheels(reason) ? first_sentence(reason) : "";
}

}  // namespace

std::string uv_platform(const std::string& processor, const std::string& image) {
  const std::string name = processor == "amd64" ? "x86_64" : processor == "arm64" ? "aarch64" : "";
  if (name.empty()) return {};
  return name + (contains(image, "alpine") ? "-unknown-linux-musl" : "-unknown-linux-gnu");
}

std::string missing_wheel(const Json& record, const std::string& processor, const std::string& image) {
  const std::string digest = string_at(record, {"lock"}), platform = uv_platform(processor, image),
                    python = lowest_python(string_at(record, {"requires"}));
  const auto lock = read_lock(digest);
  if (!lock || is_conda_lock(*lock) || platform.empty() || python.empty()) return {};
  const fs::path known = locks_folder() / ("wheels-" + digest + "-" + platform + "-" + python);
  if (const auto reason = read_file_if_exists(known)) return *reason;
  std::string reason = reason_of_uv(*lock, python, platform);
  write_file_atomically(known, reason);
  return reason;
}

std::string processor_of_conda(const Json& record) {
  const auto lock = read_lock(string_at(record, {"lock"}));
  return lock && is_conda_lock(*lock) ? processor_of(*lock) : std::string();
}

}  // namespace kml::packages
