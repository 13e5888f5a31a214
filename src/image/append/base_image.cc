#include "image/append/base_image.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "kml/base/error.h"
#include "kml/base/text.h"

namespace kml::image {

namespace {

using registry::Descriptor;
using registry::Manifest;

constexpr size_t kLargestConfig = size_t{8} << 20;
constexpr size_t kMostLayers = 1000;
constexpr const char* kDefaultPlatform = "linux/amd64";

std::string platform_of(const Json& value) {
  const std::string variant = string_at(value, {"variant"});
  return string_at(value, {"os"}) + "/" + string_at(value, {"architecture"}) +
         (variant.empty() ? "" : "/" + variant);
}

/// The platform as Docker compares it (github.com/containerd/platforms): "linux/arm64" for "arm64",
/// "linux/aarch64" and "linux/arm64/v8".
std::string usual_platform(const std::string& platform) {
  std::vector<std::string> parts = split(lower(platform), '/');
  if (parts.size() == 1) parts.insert(parts.begin(), "linux");
  for (const auto& [other, usual] : {std::pair{"x86_64", "amd64"}, {"x86-64", "amd64"}, {"aarch64", "arm64"}})
    if (parts[1] == other) parts[1] = usual;
  const bool is_usual_variant = parts.size() == 3 && ((parts[1] == "arm64" && parts[2] == "v8") ||
                                                      (parts[1] == "amd64" && parts[2] == "v1"));
  if (is_usual_variant) parts.pop_back();
  return join(parts, "/");
}

/// Whether the platform is the wanted one. The wanted platform may lack a variant.
bool is_platform(const std::string& platform, const std::string& wanted) {
  const std::string own = usual_platform(platform), other = usual_platform(wanted);
  return own == other || own.starts_with(other + "/");
}

Error not_for_platform(const registry::Reference& reference, const std::string& wanted,
                       const std::vector<std::string>& platforms) {
  return usage_error(reference.text() + " has no image for " + wanted,
                     platforms.empty() ? "" : "it has images for " + some_of(platforms, 8),
                     platforms.empty() ? "" : "--platform " + platforms[0]);
}

/// The image for the platform, from an index of several images.
Manifest one_of(registry::Repository& repository, const registry::Reference& reference, const Manifest& index,
                const std::string& wanted) {
  std::vector<std::string> platforms;
  for (const Json& entry : array_at(index.value, {"manifests"})) {
    const std::string platform = platform_of(object_at(entry, {"platform"}));
    if (is_platform(platform, wanted))
      return repository.manifest(registry::descriptor_of(entry, reference.text()).digest);
    // "unknown" is the platform of signatures and other data about images
    if (platform.find("unknown") == std::string::npos) platforms.push_back(platform);
  }
  throw not_for_platform(reference, wanted, platforms);
}

bool is_image_config(const std::string& media_type) {
  return media_type == "application/vnd.oci.image.config.v1+json" ||
         media_type == "application/vnd.docker.container.image.v1+json";
}

Json read_config(registry::Repository& repository, const Descriptor& descriptor, const std::string& image) {
  Json config = parse_json(repository.blob(descriptor, kLargestConfig), "the configuration of " + image);
  for (const char* part : {"config", "rootfs"})
    if (config.is_object() && config.contains(part) && !config[part].is_object() && !config[part].is_null())
      config = Json();
  if (config.is_object()) return config;
  throw Error(ErrorCode::failure, "cannot use the image " + image,
              "its configuration is not valid for an image");
}

}  // namespace

bool is_elsewhere(const Descriptor& layer) {
  return contains(layer.media_type, "foreign") || contains(layer.media_type, "nondistributable");
}

BaseImage read_base_image(registry::Repository& repository, const registry::Reference& reference,
                          const std::string& platform) {
  const std::string wanted = platform.empty() ? kDefaultPlatform : platform;
  BaseImage base{.manifest = repository.manifest(reference.manifest_name())};
  if (base.manifest.value.contains("manifests"))
    base.manifest = one_of(repository, reference, base.manifest, wanted);
  const Json& value = base.manifest.value;
  const Json& config = object_at(value, {"config"});
  if (!is_image_config(string_at(config, {"mediaType"})))
    throw usage_error(reference.text() + " is not a container image",
                      "its manifest is of the type " + base.manifest.media_type);
  base.is_docker = string_at(config, {"mediaType"}).starts_with("application/vnd.docker.");
  for (const Json& layer : array_at(value, {"layers"}))
    base.layers.push_back(registry::descriptor_of(layer, reference.text()));
  base.config = read_config(repository, registry::descriptor_of(config, reference.text()), reference.text());
  if (base.layers.size() > kMostLayers ||
      array_at(base.config, {"rootfs", "diff_ids"}).size() != base.layers.size())
    throw Error(ErrorCode::failure, "cannot use the image " + reference.text(),
                "its configuration does not describe the layers");
  base.platform = platform_of(base.config);
  if (!platform.empty() && !is_platform(base.platform, wanted))
    throw not_for_platform(reference, wanted, {base.platform});
  return base;
}

}  // namespace kml::image
