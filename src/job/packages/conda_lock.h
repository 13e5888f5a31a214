#pragma once

#include <map>
#include <string>
#include <string_view>

#include "kml/base/json.h"

namespace kml::packages {

/// A lock with conda packages: rattler's lock file (YAML), and comments with the locks of the installer and
/// of the packages for pip, both as requirements files.
std::string conda_lock(const std::string& rattlers_lock, const std::string& installer,
                       const std::string& pip);

bool is_conda_lock(std::string_view lock);

/// The versions of the conda packages in a lock, by name.
std::map<std::string, std::string> conda_versions_in(std::string_view lock);

/// The processor for which the packages were built, as Kubernetes names it.
std::string processor_of(std::string_view lock);

/// The packages for pip in a lock with conda packages, as a requirements file.
std::string pip_part_of(std::string_view lock);

/// The requirements file without the packages whose names are keys of `names`.
std::string without_packages(const std::string& requirements, const Json& names);

}  // namespace kml::packages
