#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kml/base/json.h"
#include "kml/image/append/layer.h"
#include "kml/net/registry/settings.h"

namespace kml::image {

/// The facts about a base image on which the new layers may depend.
struct BaseFacts {
  Json config;           ///< https://github.com/opencontainers/image-spec/blob/v1.1.1/config.md
  std::string platform;  ///< "linux/amd64"

  /// The value of a variable of the image; empty if it does not set the variable.
  std::string variable(std::string_view name) const;
};

/// An image that consists of a base image and more layers.
struct AppendRequest {
  std::string base = {};  ///< the name of the base image
  /// the repository to write to, and the tag. Without a tag, the tag is "kml-" and the first 12 digits of the
  /// new image's digest, so that it replaces no other image's tag.
  std::string target;
  /// OS/ARCHITECTURE[/VARIANT]; if empty, linux/amd64, or the platform of a base that is a single image
  std::string platform = {};
  std::vector<Layer> layers = {};  ///< the new layers, from the lowest to the highest
  /// Makes a layer below `layers`. Called once, before anything is sent; may throw Error.
  std::function<Layer(const BaseFacts&)> lowest_layer = {};
  std::string working_folder = {};  ///< the new image's working directory; empty for the base image's own
  /// Variables such as PATH, each with the folder to put first in it.
  std::vector<std::pair<std::string, std::string>> search_paths = {};
  /// Whether to read the base without the user's credentials, unless it is in the target's registry: the user
  /// did not choose the base.
  bool is_base_anonymous = false;
  bool is_dry_run = false;  ///< reads the base image, but sends nothing
};

struct Appended {
  std::string reference = {};  ///< the new image with its digest
  std::string tag = {};        ///< the new image with its tag
  std::string base = {};       ///< the base image with its digest
  std::string platform = {};
  std::vector<std::string> layers = {};         ///< the digests of the new layers
  size_t present = 0, mounted = 0, copied = 0;  ///< how the base image's blobs came to the repository
  std::uintmax_t sent = 0;                      ///< how many bytes were sent
  Json to_json() const;
};

/// Called with a text about the progress, such as "layer 2 of 5 of the base image: 40 MiB of 300 MiB".
using TellProgress = std::function<void(const std::string&)>;

/// Makes the image in the registry. The same request with the same base gives the same digest. Throws usage
/// Error if a name is wrong or an image does not exist, Error (failure) if the base image is invalid, and the
/// other Errors that Repository throws.
Appended append(AppendRequest request, const registry::Settings& settings, const TellProgress& tell = {});

/// The settings for kml on the user's machine: the credentials come from Docker's configuration.
registry::Settings registry_settings(bool is_insecure);

}  // namespace kml::image
