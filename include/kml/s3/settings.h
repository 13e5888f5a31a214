#pragma once

#include <map>
#include <string>
#include <string_view>

namespace kml::s3 {

/// "s3://NAME/PREFIX": a bucket, and what all keys in it begin with.
struct Bucket {
  std::string name, prefix;  ///< the prefix without slashes at its ends, or empty

  std::string url() const { return "s3://" + name + (prefix.empty() ? "" : "/" + prefix); }
};

/// Throws Error (usage) if the text, which an option or a file gave as `source`, names no bucket.
Bucket parse_bucket(std::string_view text, const std::string& source);

/// What ~/.aws/config and ~/.aws/credentials (or AWS_CONFIG_FILE and AWS_SHARED_CREDENTIALS_FILE) say of the
/// profile that AWS_PROFILE names, or of "default".
struct Profile {
  std::string name;
  bool is_there = false;
  std::map<std::string, std::string> values;       ///< "region", "endpoint_url", "s3.addressing_style"
  std::map<std::string, std::string> credentials;  ///< those of the file of credentials

  std::string value(const std::string& key) const {
    const auto found = values.find(key);
    return found == values.end() ? std::string() : found->second;
  }
};

/// Throws Error (usage) if AWS_PROFILE names a profile that is in neither file.
Profile read_profile();

/// Where a bucket is.
struct Settings {
  Bucket bucket;
  std::string region;
  std::string endpoint = {};     ///< of a server that is not AWS's; empty for AWS
  bool is_path_style = false;    ///< the bucket is the first part of the path, not of the host
  std::string authorities = {};  ///< PEM, trusted instead of the system's

  /// "https://BUCKET.s3.REGION.amazonaws.com", without a slash at the end.
  std::string url() const;
  /// What stands before a key in a request's path: "/", or "/BUCKET/".
  std::string path() const;
};

/// As AWS's own programs choose it: AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL, AWS_REGION or
/// AWS_DEFAULT_REGION, AWS_CA_BUNDLE, then the profile. Throws Error (usage) for what cannot be right.
Settings settings_for(Bucket bucket, const Profile& profile);

}  // namespace kml::s3
