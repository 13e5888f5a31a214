#include "pipeline/runner/pod_bucket.h"

#include <doctest/doctest.h>

#include "kml/base/text.h"
#include "pipeline/runner/step_program.h"

namespace kml::pipeline::pod_bucket_test {

namespace {

s3::Settings settings(const std::string& endpoint) {
  return {.bucket = {"made", "team"}, .region = "eu-west-1", .endpoint = endpoint, .is_path_style = true};
}

/// kml-step-s3, as pods put it together from the ConfigMaps.
std::string joined(const PodBucket& made) {
  std::string bytes;
  for (size_t i = 0; i < made.bucket.programs.size(); ++i)
    bytes += base64_decoded(string_at(made.objects[i], {"binaryData", "part"})).value();
  return bytes;
}

}  // namespace

TEST_CASE("pod bucket: the program is sent in parts that fit in ConfigMaps") {
  const std::string_view program = pod_programs()[0].packed_s3;
  const PodBucket made = pod_bucket(settings("http://minio:9000"), program, "id");
  CHECK(made.bucket.url == "s3://made/team");
  CHECK(made.bucket.variables ==
        std::vector<std::string>{"AWS_DEFAULT_REGION=eu-west-1", "AWS_ENDPOINT_URL=http://minio:9000"});
  CHECK(joined(made) == program);
  for (const Json& object : made.objects) {
    constexpr size_t kMostOfConfigMap = size_t{1} << 20;
    CHECK(base64_decoded(string_at(object, {"binaryData", "part"})).value().size() < kMostOfConfigMap);
    CHECK(string_at(object, {"metadata", "name"}).ends_with("-id"));
  }
  CHECK(made.bucket.authorities.empty());
}

TEST_CASE("pod bucket: CA certificates named by the user are sent, for an endpoint with TLS") {
  s3::Settings given = settings("https://minio:9000");
  given.authorities = "PEM";
  const PodBucket made = pod_bucket(given, "program", "id");
  CHECK(made.objects.back()["data"]["ca.pem"] == "PEM");
  CHECK(made.bucket.variables.back() == "AWS_CA_BUNDLE=/kml/step/ca.pem");
}

}  // namespace kml::pipeline::pod_bucket_test
