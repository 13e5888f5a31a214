#include "pipeline/runner/pod_bucket.h"

#include <fmt/format.h>

#include "kml/base/sha256.h"
#include "kml/base/text.h"
#include "kml/net/s3/authorities.h"
#include "pipeline/runner/input_secrets.h"

namespace kml::pipeline {

namespace {

Json config_map(const std::string& name, const char* field, std::string_view key,
                const std::string& content) {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", {{"name", name}}},
          {"immutable", true},
          {field, {{key, content}}}};
}

std::string short_sum(std::string_view text) {
  return sha256_hex(text).substr(0, 12);
}

}  // namespace

PodBucket pod_bucket(const s3::Settings& settings, std::string_view packed_s3, const std::string& suffix) {
  PodBucket made;
  made.bucket = {.url = settings.bucket.url(), .variables = {"AWS_DEFAULT_REGION=" + settings.region}};
  const std::vector<std::string> parts = secret_parts(packed_s3);
  const std::string sum = short_sum(packed_s3);
  for (size_t i = 0; i < parts.size(); ++i) {
    made.bucket.programs.push_back(fmt::format("kml-step-s3-{}-{}-{}", sum, i, suffix));
    made.objects.push_back(
        config_map(made.bucket.programs.back(), "binaryData", kPartKey, base64_encoded(parts[i])));
  }
  if (!settings.endpoint.empty()) made.bucket.variables.push_back("AWS_ENDPOINT_URL=" + settings.endpoint);
  if (!settings.url().starts_with("https:")) return made;
  const bool is_given = !settings.authorities.empty();
  const std::string pem = is_given ? settings.authorities : s3::system_authorities();
  if (pem.empty()) return made;
  made.bucket.authorities = "kml-step-ca-" + short_sum(pem) + "-" + suffix;
  made.bucket.variables.push_back(
      fmt::format("{}=/kml/step/{}", is_given ? "AWS_CA_BUNDLE" : s3::kMoreAuthorities, kAuthoritiesKey));
  made.objects.push_back(config_map(made.bucket.authorities, "data", kAuthoritiesKey, pem));
  return made;
}

}  // namespace kml::pipeline
