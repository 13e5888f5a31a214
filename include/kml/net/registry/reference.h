#pragma once

#include <string>
#include <string_view>

namespace kml::registry {

/// The name of an image: [HOST[:PORT]/]REPOSITORY[:TAG][@sha256:DIGEST]. A name without a host is on Docker
/// Hub, as for Docker and containerd.
struct Reference {
  std::string host;        ///< "docker.io", "registry.example:5000"
  std::string repository;  ///< "library/python"
  std::string tag = {};
  std::string digest = {};  ///< "sha256:…"

  std::string repository_name() const { return host + "/" + repository; }
  std::string text() const;
  /// The part of a request that names the manifest: the digest, otherwise the tag, otherwise "latest".
  std::string manifest_name() const;
};

/// Throws usage Error if the text is not the name of an image. `source` is what the user typed before it,
/// such as "--tag".
Reference parse_reference(std::string_view text, const std::string& source);

/// Whether the text is "sha256:" and 64 lower-case hexadecimal digits, the only kind of digest that kml
/// knows.
bool is_digest(std::string_view text);
/// The digest of these bytes, with the prefix "sha256:".
std::string digest_of(std::string_view bytes);

}  // namespace kml::registry
