#include "pipeline/runner/s3_pins.h"

#include <vector>

#include "kml/base/files.h"
#include "kml/base/json.h"
#include "pipeline/runner/s3_layout.h"

namespace kml::pipeline {

namespace {

/// The key of a pin. It contains the digest, because machines may use the same name for different trees.
std::string s3_pin(const std::string& artifact, const std::string& digest) {
  return std::string(kS3Pins) + digest + "/" + path_component(artifact);
}

s3::Client client_of(const std::string& url) {
  return s3::make_client(s3::parse_bucket(url, "--store"));
}

}  // namespace

void pin_in_bucket(const std::string& url, const std::string& artifact, const std::string& digest) {
  client_of(url).write({{s3_pin(artifact, digest), compact_text({{"name", artifact}})}});
}

void unpin_in_bucket(const std::string& url, const std::string& artifact, const std::string& digest) {
  client_of(url).remove(std::vector{s3_pin(artifact, digest)});
}

}  // namespace kml::pipeline
