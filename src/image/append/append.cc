#include "kml/image/append/append.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <thread>

#include "image/append/base_image.h"
#include "image/login/docker_config.h"
#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/net/registry/repository.h"

namespace kml::image {

namespace {

using registry::Descriptor;
using registry::Manifest;
using registry::Reference;
using registry::Repository;

constexpr const char* kEpoch = "1970-01-01T00:00:00Z";
constexpr size_t kDigitsOfTag = 12;

/// The new image, which is not in the registry yet.
struct NewImage {
  std::string config;
  Descriptor config_descriptor = {};
  std::vector<Descriptor> layers = {};  ///< the new layers, without those of the base image
  Manifest manifest = {};
};

/// The PATH that containerd and Docker set if an image sets none.
constexpr std::string_view kDefaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Puts the folder first in a variable such as PATH.
void add_search_path(Json& variables, const std::string& name, const std::string& folder) {
  if (!variables.is_array()) variables = Json::array();
  for (Json& variable : variables)
    if (variable.is_string() && variable.get<std::string>().starts_with(name + "=")) {
      const std::string old = variable.get<std::string>().substr(name.size() + 1);
      variable = name + "=" + folder + (old.empty() ? "" : ":" + old);
      return;
    }
  variables.push_back(name + "=" + folder + (name == "PATH" ? ":" + std::string(kDefaultPath) : ""));
}

std::string new_config(const BaseImage& base, const AppendRequest& request) {
  Json config = base.config;
  for (const Layer& layer : request.layers) {
    config["rootfs"]["diff_ids"].push_back(layer.diff_id);
    if (config.contains("history") && !config["history"].is_array()) config.erase("history");
    config["history"].push_back({{"created", kEpoch}, {"created_by", layer.created_by}});
  }
  for (const auto& [name, folder] : request.search_paths)
    add_search_path(config["config"]["Env"], name, folder);
  if (!request.working_folder.empty()) config["config"]["WorkingDir"] = request.working_folder;
  return compact_text(config);
}

Manifest new_manifest(const BaseImage& base, const Reference& name, const NewImage& image) {
  Manifest manifest{
      .media_type = base.manifest.media_type, .digest = {}, .bytes = {}, .value = base.manifest.value};
  manifest.value["config"] = image.config_descriptor.to_json();
  for (const Descriptor& layer : image.layers) manifest.value["layers"].push_back(layer.to_json());
  manifest.value.erase("subject");  // the manifest to which the base image refers
  if (!base.is_docker) {
    // https://github.com/opencontainers/image-spec/blob/v1.1.1/annotations.md
    Json& annotations = manifest.value["annotations"];
    if (!annotations.is_object()) annotations = Json::object();
    annotations["org.opencontainers.image.base.name"] = name.text();
    annotations["org.opencontainers.image.base.digest"] = base.manifest.digest;
  }
  manifest.bytes = compact_text(manifest.value);
  manifest.digest = registry::digest_of(manifest.bytes);
  return manifest;
}

NewImage new_image(const BaseImage& base, const Reference& name, const AppendRequest& request) {
  const char* layer_type = base.is_docker ? "application/vnd.docker.image.rootfs.diff.tar.gzip"
                                          : "application/vnd.oci.image.layer.v1.tar+gzip";
  NewImage image{.config = new_config(base, request)};
  image.config_descriptor = {string_at(base.manifest.value, {"config", "mediaType"}),
                             registry::digest_of(image.config), image.config.size()};
  for (const Layer& layer : request.layers)
    image.layers.push_back({layer_type, layer.digest, layer.bytes.size()});
  image.manifest = new_manifest(base, name, image);
  return image;
}

Repository::Content content_of(const std::string& bytes) {
  return [&bytes](std::uintmax_t offset, size_t size) { return bytes.substr(offset, size); };
}

/// Brings blobs into one repository.
class Pusher {
 public:
  Pusher(Repository& target, const TellProgress& tell, Appended& result)
      : target_(target), tell_(tell), result_(result) {}

  /// Blobs that the repository lacks are mounted from the base's repository, if that is in the same registry.
  /// Otherwise they are copied.
  void bring(std::vector<Descriptor> blobs, Repository& source, const Reference& base,
             bool is_same_registry) {
    result_.present = remove(blobs, target_.has(blobs));
    if (is_same_registry) result_.mounted = remove(blobs, target_.mount(blobs, base.repository));
    result_.copied = blobs.size();
    for (size_t i = 0; i < blobs.size(); ++i)
      send(blobs[i], source.content(blobs[i]),
           fmt::format("layer {} of {} of the base image", i + 1, blobs.size()));
  }

  void bring(const Descriptor& blob, const std::string& bytes, const std::string& what) {
    if (!target_.has({&blob, 1})[0]) send(blob, content_of(bytes), what);
  }

 private:
  static size_t remove(std::vector<Descriptor>& blobs, const std::vector<bool>& done) {
    size_t i = 0;
    return std::erase_if(blobs, [&](const Descriptor&) { return done[i++]; });
  }

  void send(const Descriptor& blob, const Repository::Content& content, const std::string& what) {
    target_.upload(blob, content, [&](std::uintmax_t done) {
      if (tell_) tell_(what + ": " + size_text(done) + " of " + size_text(blob.size));
    });
    result_.sent += blob.size;
  }

  Repository& target_;
  const TellProgress& tell_;
  Appended& result_;
};

void push(const BaseImage& base, const NewImage& image, const AppendRequest& request, Repository& source,
          const Reference& from, const Reference& to, const registry::Settings& settings,
          const TellProgress& tell, Appended& result) {
  const bool is_same = from.host == to.host;
  Repository target(to, Repository::Access::write, settings,
                    is_same ? std::vector{from.repository} : std::vector<std::string>());
  Pusher pusher(target, tell, result);
  std::vector<Descriptor> blobs;
  for (const Descriptor& layer : base.layers)
    if (!is_elsewhere(layer) && std::ranges::find(blobs, layer.digest, &Descriptor::digest) == blobs.end())
      blobs.push_back(layer);
  pusher.bring(std::move(blobs), source, from, is_same);
  for (size_t i = 0; i < image.layers.size(); ++i)
    pusher.bring(image.layers[i], request.layers[i].bytes, "the new layer");
  pusher.bring(image.config_descriptor, image.config, "the configuration");
  target.put_manifest(to.tag, image.manifest);
}

}  // namespace

Json Appended::to_json() const {
  return {
      {"image", reference}, {"tag", tag},
      {"base", base},       {"platform", platform},
      {"layers", layers},   {"baseLayers", {{"present", present}, {"mounted", mounted}, {"copied", copied}}},
      {"bytesSent", sent}};
}

std::string BaseFacts::variable(std::string_view name) const {
  for (const Json& variable : array_at(config, {"config", "Env"}))
    if (variable.is_string())
      if (const auto& text = variable.get_ref<const std::string&>();
          text.starts_with(name) && text.substr(name.size()).starts_with('='))
        return text.substr(name.size() + 1);
  return {};
}

Appended append(AppendRequest request, const registry::Settings& settings, const TellProgress& tell) {
  Reference from = registry::parse_reference(request.base, "the base image");
  Reference to = registry::parse_reference(request.target, "the target");
  if (!to.digest.empty())
    throw usage_error("the target " + to.text() + " has a digest",
                      "kml computes the digest from the contents", "leave the digest out");
  registry::Settings for_base = settings;
  if (request.is_base_anonymous && from.host != to.host) for_base.credentials = {};
  Repository source(from, Repository::Access::read, for_base);
  const BaseImage base = read_base_image(source, from, request.platform);
  if (request.lowest_layer)
    request.layers.insert(request.layers.begin(), request.lowest_layer({base.config, base.platform}));
  const NewImage image = new_image(base, from, request);
  if (to.tag.empty())
    to.tag = "kml-" + image.manifest.digest.substr(std::string_view("sha256:").size(), kDigitsOfTag);
  Appended result{.platform = base.platform};
  result.tag = to.text();
  result.reference = to.repository_name() + "@" + image.manifest.digest;
  result.base = from.repository_name() + "@" + base.manifest.digest;
  for (const Layer& layer : request.layers) result.layers.push_back(layer.digest);
  if (!request.is_dry_run) push(base, image, request, source, from, to, settings, tell, result);
  return result;
}

registry::Settings registry_settings(bool is_insecure) {
  // A helper runs only once for each registry.
  const auto known = std::make_shared<std::map<std::string, registry::Credentials>>();
  return {.credentials =
              [known](const std::string& host) {
                const auto found = known->find(host);
                return found != known->end() ? found->second : (*known)[host] = docker_credentials(host);
              },
          .is_insecure = is_insecure,
          .pause = [](std::chrono::milliseconds delay) { std::this_thread::sleep_for(delay); }};
}

}  // namespace kml::image
