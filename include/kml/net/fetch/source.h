#pragma once

#include <string>
#include <string_view>

namespace kml::fetch {

/// Data outside of the cluster that a job reads: where the data is, and in which version.
struct Source {
  enum class Kind { file, hub, bucket };
  Kind kind = Kind::file;
  std::string place;  ///< the URL of a file or a bucket; for a hub, "datasets/ORG/NAME" or "models/ORG/NAME"
  /// For a file, its SHA-256. For a repository, its revision, which is a commit once the source is pinned.
  /// For a bucket, the digest of its list of objects, which is empty until the source is pinned.
  std::string version = {};
  std::string folder = {};  ///< for a hub: the folder of the repository that is read; empty for all of it

  /// A text that parse_source() accepts: "https://HOST/FILE#sha256=…", "hf://datasets/ORG/NAME@REV/FOLDER",
  /// "s3://BUCKET/PREFIX#list=…".
  std::string text() const;
  /// The name of the folder on a claim that contains the data. Sources with the same text have the same name.
  std::string key() const;
};

/// Whether the source is a bucket of Google Cloud Storage.
bool is_google(const Source& source);

/// Throws usage Error if the text is invalid, and also for a URL with a password or a token, because others
/// may read a job's manifest. `flag` is what the user typed before the text.
Source parse_source(std::string_view text, const std::string& flag);

}  // namespace kml::fetch
