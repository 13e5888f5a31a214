#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "kml/base/json.h"

namespace kml::packages {

/// The prefix for the names of Secrets with the lock of a job's packages.
inline constexpr std::string_view kSecretPrefix = "kml-packages-";

/// The store of this machine: the environments with installed packages.
std::filesystem::path environments_folder();

/// The folder with the locks of this machine's submits, each in a file that is named by its digest.
std::filesystem::path locks_folder();

/// The lock with this SHA-256 digest. Empty if it is no longer there, or has changed.
std::optional<std::string> read_lock(const std::string& digest);

/// The environment that a line of a pod's log names, if in_pod.py wrote the line; otherwise all members are
/// empty. Earlier versions of kml wrote only some of these members.
struct NamedEnvironment {
  std::string id, python, processor, libc;
};
NamedEnvironment environment_in(std::string_view line);

/// As in the record of a run: {"environment", "python", "processor", "libc"}.
Json to_json(const NamedEnvironment& environment);
NamedEnvironment named_environment(const Json& json);

/// The packages in a lock that Linux may need, with their versions. A package may have several versions for
/// different Pythons or processors: "1.26.4, 2.1.0". If the version of a package at a URL is unknown, this is
/// the URL.
std::map<std::string, std::string> versions_in(std::string_view lock);

}  // namespace kml::packages
