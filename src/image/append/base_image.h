#pragma once

#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/net/registry/repository.h"

namespace kml::image {

/// The image to which layers are added.
struct BaseImage {
  registry::Manifest manifest;
  std::vector<registry::Descriptor> layers = {};
  Json config = {};
  std::string platform = {};  ///< "linux/amd64"
  bool is_docker = false;     ///< whether its media types are Docker's, not OCI's
};

/// Whether the layer is in no registry, like many layers of Windows.
bool is_elsewhere(const registry::Descriptor& layer);

/// Reads the image. If the reference names an image for several platforms, reads the one for `platform`, by
/// default linux/amd64. Throws usage Error if there is none for that platform, or if this is not a container
/// image, and Error (failure) if the image's configuration is invalid.
BaseImage read_base_image(registry::Repository& repository, const registry::Reference& reference,
                          const std::string& platform);

}  // namespace kml::image
