#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace kml::packages {

/// A package in a lock that has the form of a requirements file.
struct LockedPackage {
  std::string name;
  std::string version;  ///< empty if neither the line nor the name of a wheel has one
  std::string place;    ///< the URL or the path of the package; empty for a package of an index
  bool has_hash = false;
  bool is_for_linux = true;  ///< false if its marker is only true for other systems
};

/// The packages that uv or pip installs. The lock may also have conda packages.
std::vector<LockedPackage> python_packages_in(std::string_view lock);

/// The lock with "tiny @ file:///FOLDER/tiny-1.0-py3-none-any.whl" instead of the path of a wheel that is
/// relative to the folder: the lock is used in other folders.
std::string with_absolute_places(const std::string& lock, const std::filesystem::path& folder);

}  // namespace kml::packages
