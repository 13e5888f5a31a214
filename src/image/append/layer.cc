#include "kml/image/append/layer.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "kml/base/archive.h"
#include "kml/base/error.h"
#include "kml/base/sha256.h"
#include "kml/base/text.h"
#include "kml/net/registry/reference.h"

namespace kml::image {

namespace {

/// In images with a merged /usr, these are links to folders below /usr. A layer with a folder of such a name
/// replaces the link, and thus hides the image's programs and libraries.
constexpr std::array<std::string_view, 6> kLinksOfImages = {"bin", "sbin", "lib", "lib32", "lib64", "libx32"};

void require_no_link_of_images(const std::string& name) {
  const std::string first = name.substr(0, name.find('/'));
  if (std::ranges::find(kLinksOfImages, first) == kLinksOfImages.end()) return;
  throw usage_error("the file /" + name + " cannot be part of an image",
                    "in many images, /" + first + " is a link to /usr/" + first +
                        ", and the layer would replace the link with a folder",
                    "choose another --path, such as /srv/app");
}

}  // namespace

struct LayerWriter::State {
  Gzip gzip;
  Sha256 hash;  ///< the hash of the archive before it is compressed

  void add(std::string_view bytes) {
    hash.add(bytes);
    gzip.add(bytes);
  }
};

LayerWriter::LayerWriter() : state_(std::make_unique<State>()) {}
LayerWriter::~LayerWriter() = default;

void LayerWriter::append(const TarEntry& entry) {
  std::string text;
  append_tar_header(entry, entry.content.size(), text);
  state_->add(text);
  state_->add(entry.content);
  text.clear();
  append_tar_padding(entry.content.size(), text);
  state_->add(text);
}

void LayerWriter::add(const std::string& folder, TarEntry entry) {
  // https://github.com/opencontainers/image-spec/blob/v1.1.1/layer.md#whiteouts
  for (const std::string& part : split(entry.name, '/'))
    if (part.starts_with(".wh."))
      throw usage_error("the file " + entry.name + " cannot be part of an image",
                        "in a layer, a name that starts with \".wh.\" deletes a file of the image",
                        "rename the file, or let git ignore it");
  const std::string name = folder + (folder.empty() ? "" : "/") + entry.name;
  require_no_link_of_images(name);
  for (size_t slash = name.find('/', folder.size() + 1); slash != name.npos;
       slash = name.find('/', slash + 1))
    if (const std::string above = name.substr(0, slash); folders_.insert(above).second)
      append({.name = above + "/", .type = TarEntry::Type::folder, .is_executable = true});
  entry.name = name;
  append(entry);
}

size_t LayerWriter::size() const {
  return state_->gzip.size();
}

Layer LayerWriter::finish() {
  std::string end;
  append_tar_end(end);
  state_->add(end);
  Layer layer;
  layer.diff_id = "sha256:" + state_->hash.hex();
  layer.bytes = state_->gzip.finish();
  layer.digest = registry::digest_of(layer.bytes);
  return layer;
}

}  // namespace kml::image
