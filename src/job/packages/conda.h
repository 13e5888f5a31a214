#pragma once

#include <string>

#include "job/packages/requested.h"
#include "job/packages/uv.h"

namespace kml::packages {

/// The system for which conda packages are chosen.
struct CondaTarget {
  /// conda's name for the system, such as "linux-64"; empty for this machine
  std::string platform;
  bool has_gpus = false;

  /// What determines, besides the file and the channels, which packages are chosen.
  std::string text() const;
};

/// The lock of an environment.yml: the conda packages as rattler's lock file (YAML), and in comments the
/// locks of the installer and of the packages for pip. uv gets the installer, py-rattler, from the user's own
/// index; no code of the listed packages runs. Throws Error, for example if there is no solution.
std::string solve_conda(const Uv& uv, const Requested& requested, const CondaTarget& target);

}  // namespace kml::packages
