#include "kml/jobs/pipeline/s3_pins.h"

#include <vector>

#include "jobs/pipeline/s3_layout.h"
#include "kml/core/files.h"
#include "kml/core/json.h"

namespace kml::jobs {

namespace {

/// The digest is part of the key, because different machines may give different trees the same name.
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

}  // namespace kml::jobs
