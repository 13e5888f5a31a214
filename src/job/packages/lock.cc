#include "job/packages/lock.h"

#include <algorithm>

#include "job/packages/conda_lock.h"
#include "job/packages/included.h"
#include "job/packages/lock_lines.h"
#include "job/packages/resolve_error.h"
#include "job/packages/uv.h"
#include "kml/base/files.h"
#include "kml/base/sha256.h"
#include "kml/base/text.h"
#include "kml/base/waiting.h"
#include "kml/job/packages/locked.h"

namespace kml::packages {

namespace fs = std::filesystem;

namespace {

/// The prefix of the files that say which lock was made for a request.
constexpr std::string_view kOfRequest = "of-";

constexpr size_t kLargestSettings = size_t{4} << 20;

/// The variables by which uv chooses other versions, besides kIndexVariables. The last ones name files.
constexpr const char* kVersionVariables[] = {"UV_RESOLUTION", "UV_PRERELEASE",    "UV_FORK_STRATEGY",
                                             "UV_NO_INDEX",   "UV_TORCH_BACKEND", "UV_CONSTRAINT",
                                             "UV_OVERRIDE",   "UV_EXCLUDE",       "UV_CONFIG_FILE"};
constexpr std::string_view kFileVariables = "UV_CONSTRAINT UV_OVERRIDE UV_EXCLUDE UV_CONFIG_FILE";

/// The user's settings in these variables, with the contents of their files. Empty without such settings.
std::string version_settings() {
  std::string text;
  for (const char* name : kVersionVariables) {
    const std::string value = environment(name);
    if (!value.empty()) text += std::string(name) + "=" + value + "\n";
    if (contains(kFileVariables, name))
      for (const std::string& file : split(value, ' '))
        if (!file.empty()) text += read_file_if_exists(file, kLargestSettings).value_or("") + "\n";
  }
  return text;
}

/// The digest of everything that determines the lock, except what the index offers when the lock is made.
std::string digest_of_request(const Requested& requested, const std::string& target) {
  std::string text =
      std::to_string(static_cast<int>(requested.kind)) + "\n" + target + "\n" + requested.text + "\n";
  // earlier versions of kml made locks that lack the hashes at a URL
  for (const Included& list : included_in(requested))
    text += list.is_url() ? list.place + "\nown hashes\n" : list.lines.text;
  for (const char* name : kIndexVariables) text += std::string(name) + "=" + environment(name) + "\n";
  if (const fs::path config = Uv::own_config(); !config.empty())
    text += read_file_if_exists(config).value_or("");
  return sha256_hex(text + version_settings());
}

/// Throws usage Error if a package of an uv.lock is not from an index. A lock that uv made here has no such
/// package, unless the user trusts the file that asks for it.
void require_from_index(const std::string& lock, const Requested& requested) {
  if (!requested.powers.empty() || requested.kind == Requested::Kind::conda) return;
  const bool has_lock = requested.lock.exists();
  for (const std::string& line : split(lock, '\n'))
    if (const std::string_view text = trim(line); !text.empty() && text[0] != '-' && text[0] != '#')
      if (const std::string power = power_in(text.substr(0, std::min(text.find(" ;"), text.find(" \\"))));
          !power.empty())
        throw usage_error(
            (has_lock ? requested.lock.name() : requested.shown) + " has a package that is not from an index",
            power, "remove it from " + requested.shown + (has_lock ? ", and let uv make a new lock" : ""));
}

Error without_hash(const LockedPackage& package, const Requested& requested) {
  constexpr const char* kWhy = "kml installs only packages with a hash, and builds none on this machine";
  const std::string from_index = " from an index, or from the URL of a wheel";
  if (package.place.empty()) return usage_error(requested.shown + " has no hash of " + package.name, kWhy);
  const fs::path root = requested.file.parent_path();
  const bool is_file = package.place.starts_with("file://");
  const fs::path path =
      (root / (is_file ? percent_decoded(package.place).substr(7) : package.place)).lexically_normal();
  std::error_code none;
  if (!fs::is_directory(path, none)) {
    const bool is_git = package.place.starts_with("git+");
    const std::string name = package.name.empty() ? package.place : package.name;
    return usage_error(requested.shown + " takes " + name + " from " +
                           (is_git ? std::string("a git repository") : package.place),
                       kWhy, "take " + name + from_index);
  }
  const std::string folder = path.lexically_relative(root) / "";
  return usage_error(requested.shown + " takes a package from the folder " + path.string(), kWhy,
                     "leave it out, list the packages that it needs, and let Python find its modules: --env "
                     "PYTHONPATH=" +
                         folder.substr(0, folder.size() - 1) +
                         (fs::exists(path / "src", none) ? "/src" : ""));
}

void require_hashes(const std::string& lock, const Requested& requested) {
  for (const LockedPackage& package : python_packages_in(lock))
    if (!package.has_hash) throw without_hash(package, requested);
}

/// Earlier versions of kml also made locks with folders, and with paths that are relative to a folder.
bool is_of_early_kml(const std::string& lock) {
  return std::ranges::any_of(python_packages_in(lock), [](const LockedPackage& package) {
    return !package.has_hash || (!package.place.empty() && !contains(package.place, ":"));
  });
}

std::string host_for(const Requested& requested) {
  if (requested.kind != Requested::Kind::conda) return host_of_index(requested.indexes);
  const std::string alias = host_in(environment("CONDA_CHANNEL_ALIAS"));
  return alias.empty() ? "conda.anaconda.org" : alias;
}

/// The result of `find`. Errors about the network say how long kml has tried.
std::string found_by(const Requested& requested, const std::function<std::string()>& find) {
  const Waiting waiting("finding the packages of " + requested.shown, host_for(requested));
  try {
    return find();
  } catch (Error& error) {
    if (is_about_network(error.why)) error.why += "; " + waiting.tried(host_in_reason(error.why));
    throw;
  }
}

}  // namespace

std::string lock_of(const Requested& requested, const std::string& target,
                    const std::function<std::string()>& find) {
  const fs::path of_request =
      locks_folder() / (std::string(kOfRequest) + digest_of_request(requested, target));
  if (const auto digest = read_file_if_exists(of_request))
    if (auto known = read_lock(std::string(trim(*digest))); known && !is_of_early_kml(*known))
      return *std::move(known);
  std::string lock = found_by(requested, find);
  require_from_index(lock, requested);
  require_hashes(lock, requested);
  const std::string digest = sha256_hex(lock);
  make_private_folder(locks_folder());
  write_file_atomically(locks_folder() / digest, lock);
  write_file_atomically(of_request, digest + "\n");
  return lock;
}

size_t forget_requests() {
  size_t count = 0;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(locks_folder(), missing))
    if (entry.path().filename().string().starts_with(kOfRequest)) count += fs::remove(entry.path()) ? 1 : 0;
  return count;
}

fs::path environments_folder() {
  return state_folder() / "environments";
}

fs::path locks_folder() {
  return state_folder() / "locks";
}

std::optional<std::string> read_lock(const std::string& digest) {
  if (!is_sha256_hex(digest)) return {};
  auto lock = read_file_if_exists(locks_folder() / digest);
  return lock && sha256_hex(*lock) == digest ? std::move(lock) : std::nullopt;
}

NamedEnvironment environment_in(std::string_view line) {
  constexpr std::string_view kBegin = "kml: environment ", kPython = " Python ";
  if (!line.starts_with(kBegin)) return {};
  std::vector<std::string> parts = split(trim(line.substr(kBegin.size())), ',');
  if (parts.size() < 2 || contains(parts[0], " ") || !parts[1].starts_with(kPython)) return {};
  parts.resize(4);
  return {parts[0], parts[1].substr(kPython.size()), std::string(trim(parts[2])),
          std::string(trim(parts[3]))};
}

Json to_json(const NamedEnvironment& environment) {
  return {{"environment", environment.id},
          {"python", environment.python},
          {"processor", environment.processor},
          {"libc", environment.libc}};
}

NamedEnvironment named_environment(const Json& json) {
  return {string_at(json, {"environment"}), string_at(json, {"python"}), string_at(json, {"processor"}),
          string_at(json, {"libc"})};
}

std::map<std::string, std::string> versions_in(std::string_view lock) {
  std::map<std::string, std::string> versions;
  if (is_conda_lock(lock)) {
    versions = conda_versions_in(lock);
    versions.merge(versions_in(pip_part_of(lock)));
    return versions;
  }
  for (const LockedPackage& package : python_packages_in(lock)) {
    if (!package.is_for_linux || package.name.empty()) continue;
    std::string& known = versions[package.name];
    if (!known.empty()) known += ", ";
    known += package.version.empty() ? package.place : package.version;
  }
  return versions;
}

}  // namespace kml::packages
