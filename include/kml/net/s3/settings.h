#pragma once

#include <map>
#include <string>
#include <string_view>

namespace kml::s3 {

/// A bucket, and the prefix of all keys in it: "s3://NAME/PREFIX".
struct Bucket {
  std::string name, prefix;  ///< the prefix neither starts nor ends with "/" and may be empty

  std::string url() const { return "s3://" + name + (prefix.empty() ? "" : "/" + prefix); }
};

/// Throws Error (usage) if the text does not name a bucket. `source` is the option or file that contains the
/// text.
Bucket parse_bucket(std::string_view text, const std::string& source);

/// The profile that AWS_PROFILE names, or "default", from ~/.aws/config and ~/.aws/credentials (or
/// AWS_CONFIG_FILE and AWS_SHARED_CREDENTIALS_FILE).
struct Profile {
  std::string name;
  bool is_there = false;
  std::map<std::string, std::string> values;       ///< "region", "endpoint_url", "s3.addressing_style"
  std::map<std::string, std::string> credentials;  ///< the profile's settings from the credentials file

  std::string value(const std::string& key) const {
    const auto found = values.find(key);
    return found == values.end() ? std::string() : found->second;
  }
};

/// Throws Error (usage) if neither file has the profile that AWS_PROFILE names.
Profile read_profile();

/// The settings needed to connect to a bucket.
struct Settings {
  Bucket bucket;
  std::string region;
  std::string endpoint = {};     ///< the address of the server; empty means AWS's own for the region
  bool is_path_style = false;    ///< the bucket's name is in the path of the URL, not in its host
  std::string authorities = {};  ///< PEM; replaces the system's CAs

  /// "https://BUCKET.s3.REGION.amazonaws.com", without a slash at the end.
  std::string url() const;
  /// The part of a request's path before the key: "/", or "/BUCKET/".
  std::string path() const;
};

/// Chooses the settings in the order of AWS's own programs: AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL,
/// AWS_REGION or AWS_DEFAULT_REGION, AWS_CA_BUNDLE, then the profile. Throws Error (usage) for an invalid
/// value.
Settings settings_for(Bucket bucket, const Profile& profile);

}  // namespace kml::s3
