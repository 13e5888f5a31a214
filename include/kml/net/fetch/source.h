#pragma once

#include <string>
#include <string_view>

namespace kml::fetch {

/// Data that a job reads, outside of the cluster, with all that says what exactly it is.
struct Source {
  enum class Kind { file, hub, bucket };
  Kind kind = Kind::file;
  std::string place;  ///< the URL of a file or a bucket; of a hub, "datasets/ORG/NAME" or "models/ORG/NAME"
  /// the sha256 of a file; the revision of a repository: a commit once it is pinned; the digest of a bucket's
  /// list of objects, empty until it is pinned
  std::string version = {};
  std::string folder = {};  ///< only of a hub: the part that is read; empty for everything

  /// The text that the user types: "https://HOST/FILE#sha256=…", "hf://datasets/ORG/NAME@REV/FOLDER",
  /// "s3://BUCKET/PREFIX#list=…".
  std::string text() const;
  /// The name of its folder on a claim. Data with the same text has the same name.
  std::string key() const;
};

/// Whether it is a bucket of Google Cloud Storage.
bool is_google(const Source& source);

/// Throws usage Error, even for a URL with a password or a token, because others may read a job's manifest.
/// `flag` is what the user typed before it.
Source parse_source(std::string_view text, const std::string& flag);

}  // namespace kml::fetch
