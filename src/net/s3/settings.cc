#include "kml/net/s3/settings.h"

#include <algorithm>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/text.h"

namespace kml::s3 {

namespace {

/// https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
bool is_bucket_name(std::string_view name) {
  constexpr size_t kShortest = 3, kLongest = 63;
  return name.size() >= kShortest && name.size() <= kLongest && name.find("..") == std::string_view::npos &&
         name.front() != '.' && name.front() != '-' && std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || is_digit(c) || c == '.' || c == '-';
         });
}

std::string first_of(std::initializer_list<std::string> texts) {
  for (const std::string& text : texts)
    if (!text.empty()) return text;
  return {};
}

/// Splits a URL into "https://" and "HOST/PATH".
std::pair<std::string, std::string> cut_scheme(const std::string& url) {
  const size_t end = url.find("://");
  return {url.substr(0, end + 3), url.substr(end + 3)};
}

std::string checked_endpoint(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  if (url.empty() || url.starts_with("https://") || url.starts_with("http://")) return url;
  throw usage_error("the S3 endpoint " + url + " is not a URL",
                    "it comes from AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL or a profile",
                    "AWS_ENDPOINT_URL_S3=https://" + url);
}

}  // namespace

Bucket parse_bucket(std::string_view text, const std::string& source) {
  constexpr std::string_view kBegin = "s3://";
  const Error fault =
      usage_error(source + " " + std::string(text) + " does not name a bucket",
                  "a store in S3 is s3://BUCKET or s3://BUCKET/PREFIX, where the bucket's name "
                  "has 3 to 63 lower-case letters, digits, \"-\" and \".\"");
  if (!text.starts_with(kBegin)) throw fault;
  text.remove_prefix(kBegin.size());
  const size_t slash = std::min(text.find('/'), text.size());
  Bucket bucket{std::string(text.substr(0, slash)), std::string(text.substr(slash))};
  while (bucket.prefix.ends_with('/')) bucket.prefix.pop_back();
  if (!bucket.prefix.empty()) bucket.prefix.erase(0, 1);
  for (const std::string& part : split(bucket.prefix, '/'))
    if ((part.empty() && !bucket.prefix.empty()) || part == "." || part == "..") throw fault;
  if (!is_bucket_name(bucket.name)) throw fault;
  return bucket;
}

std::string Settings::url() const {
  const bool is_aws = endpoint.empty();
  const std::string end = region.starts_with("cn-") ? ".amazonaws.com.cn" : ".amazonaws.com";
  std::string url = is_aws ? "https://s3." + region + end : endpoint;
  if (is_path_style) return url;
  const auto [scheme, rest] = cut_scheme(url);
  return scheme + bucket.name + "." + rest;
}

std::string Settings::path() const {
  return is_path_style ? "/" + bucket.name + "/" : "/";
}

Settings settings_for(Bucket bucket, const Profile& profile) {
  Settings settings{std::move(bucket), first_of({environment("AWS_REGION"), environment("AWS_DEFAULT_REGION"),
                                                 profile.value("region"), "us-east-1"})};
  settings.endpoint =
      checked_endpoint(first_of({environment("AWS_ENDPOINT_URL_S3"), environment("AWS_ENDPOINT_URL"),
                                 profile.value("s3.endpoint_url"), profile.value("endpoint_url")}));
  // Whether the bucket is part of the path. A bucket with a dot in its name must be part of the path, because
  // AWS's certificates match only one label before the service's name. Other servers often have a certificate
  // for a single name.
  const std::string style = profile.value("s3.addressing_style");
  const bool has_dots = settings.bucket.name.find('.') != std::string::npos;
  settings.is_path_style = style == "path" || has_dots || (style != "virtual" && !settings.endpoint.empty());
  if (const std::string file = first_of({environment("AWS_CA_BUNDLE"), profile.value("ca_bundle")});
      !file.empty())
    settings.authorities = read_file(file);
  return settings;
}

}  // namespace kml::s3
