#pragma once

#include <filesystem>
#include <string>

#include "job/packages/planned.h"

namespace kml::packages {

/// Where packages that are installed on this machine will run.
struct ImageTarget {
  std::string python;     ///< "3.12"
  std::string processor;  ///< as Kubernetes names it
  std::string image;      ///< the image's name, which may show that its libc is musl
};

/// Lets uv unpack the wheels of the packages into the new folder, without running code of a package. The
/// packages' programs are in the subfolder `bin`, and run with the first python3 in PATH. The same packages
/// and target always give the same files. Throws Error with uv's reason, for example if a package has no
/// wheel for the target.
void install_here(const PackagesOfImage& packages, const ImageTarget& target,
                  const std::filesystem::path& folder);

}  // namespace kml::packages
