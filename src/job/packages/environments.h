#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "kml/base/clock.h"
#include "kml/base/json.h"

namespace kml::packages {

/// An environment with installed packages on this machine, as in_pod.py has built it.
struct Environment {
  std::string id;
  std::string python;  ///< "3.11.7"
  std::string lock;    ///< the digest of the environment's lock
  long long packages = 0;
  long long bytes = 0;
  Time used = {};  ///< when a job was last started in the environment
  bool is_in_use = false;
  Json versions = Json::object();  ///< of its Python packages, by name; empty if an earlier kml made it
};

/// The complete environments in the store, the most recently used one first.
std::vector<Environment> environments_in(const std::filesystem::path& store);

/// Deletes the environments that no job uses and in which no job has started for this time. Also deletes what
/// killed builders left, and damaged environments that were replaced and that no job uses. Returns the
/// deleted environments.
std::vector<Environment> remove_unused(const std::filesystem::path& store, std::chrono::seconds unused_for);

}  // namespace kml::packages
