#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "kml/base/tar.h"

namespace kml::image {

/// A layer of a container image: a compressed tar archive. The same entries always give the same bytes.
struct Layer {
  std::string bytes;
  std::string digest;      ///< of `bytes`: "sha256:…"
  std::string diff_id;     ///< the digest of the archive before it was compressed
  std::string created_by;  ///< what the image's history shows
  std::string summary;     ///< a text for the user: "12 files, 34 KiB compressed"
};

/// Makes a layer. Owners are root and times are 0, whatever the files' own are. Add the entries in the order
/// of their names.
class LayerWriter {
 public:
  LayerWriter();
  ~LayerWriter();

  /// Adds an entry in `folder`, which is relative to the root of the image. First adds the folders below
  /// `folder` that contain the entry. Throws usage Error for a name that means "delete" in a layer.
  void add(const std::string& folder, TarEntry entry);
  /// The number of compressed bytes so far.
  size_t size() const;
  /// Call this once.
  Layer finish();

 private:
  struct State;
  void append(const TarEntry& entry);
  std::unique_ptr<State> state_;
  std::set<std::string> folders_;
};

}  // namespace kml::image
