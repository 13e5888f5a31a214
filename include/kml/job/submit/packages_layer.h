#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kml/image/append/layer.h"
#include "kml/job/spec/submit_spec.h"

namespace kml::job {

/// The folder for packages in an image. PYTHONPATH must name this folder, and PATH its subfolder "bin".
inline constexpr const char* kPackagesInImage = "/kml/python";

/// An image that gets packages.
struct ImageWithPackages {
  std::string name;       ///< of the base image
  std::string python;     ///< "3.12" or "3.12.1"
  std::string processor;  ///< as Kubernetes names it
};

/// The packages that --uv or --requirements finds in the folder, as a layer of the image: uv chooses and
/// unpacks them on this machine, without running code of a package. The same lock for the same image always
/// gives the same bytes. Throws Error if uv is not installed, finds no solution, or finds no wheel, and
/// usage Error as `kml submit --requirements` does.
image::Layer packages_layer(const spec::Packages& packages, const std::filesystem::path& folder,
                            const ImageWithPackages& image, std::vector<std::string>& notes);

}  // namespace kml::job
