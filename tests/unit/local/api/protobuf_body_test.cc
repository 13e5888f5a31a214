#include "local/api/request_body.h"

#include <doctest/doctest.h>

#include "kml/base/error.h"

namespace protobuf_body_test {

using namespace kml;
using namespace kml::local;

namespace {

std::string field(int number, const std::string& text) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(text.size())} + text;
}

std::string body(const std::string& kind, const std::string& raw) {
  return std::string("k8s\0", 4) + field(1, field(1, "v1") + field(2, kind)) + field(2, raw);
}

int refusal(const std::string& text) {
  try {
    object_of_protobuf(text);
  } catch (const Error& error) {
    return error.http_status;
  }
  return 0;
}

const std::string kMeta = field(1, field(1, "a") + field(2, ""));

}  // namespace

TEST_CASE("protobuf_body: an object is read, without the zeros that Go writes for unset fields") {
  const std::string text = body(
      "Secret", kMeta + field(2, field(1, "k") + field(2, "\xff")) + field(3, "") + std::string("\x28\x01"));
  CHECK(object_of_protobuf(text) == Json{{"apiVersion", "v1"},
                                         {"kind", "Secret"},
                                         {"metadata", {{"name", "a"}}},
                                         {"data", {{"k", "/w=="}}},
                                         {"immutable", true}});
}

TEST_CASE(
    "protobuf_body: the fields of an inlined message become fields of its owner; 0 and false mean unset") {
  const std::string volume = field(1, "data") + field(2, field(4, field(1, "s")));
  const std::string zero = field(1, "http") + std::string("\x10\x00\x18\x50", 4);
  const std::string probe = field(1, field(2, field(2, std::string("\x08\x01", 2) + field(3, "web"))));
  const std::string container = field(6, zero) + field(10, probe);
  const std::string pod = field(1, volume) + field(2, container) + std::string("\x58\x00", 2);
  const Json spec =
      object_of_protobuf(body("Job", kMeta + field(2, field(6, field(2, pod)))))["spec"]["template"]["spec"];
  CHECK(spec["volumes"] == Json::array({{{"name", "data"}, {"awsElasticBlockStore", {{"volumeID", "s"}}}}}));
  CHECK(spec["containers"][0]["ports"] == Json::array({{{"name", "http"}, {"containerPort", 80}}}));
  CHECK(spec["containers"][0]["livenessProbe"] == Json{{"httpGet", {{"port", "web"}}}});
  CHECK(!spec.contains("hostNetwork"));
}

TEST_CASE("protobuf_body: an unknown message is left to JSON, a truncated one is rejected") {
  CHECK(refusal(body("Pod", kMeta)) == 415);
  CHECK(refusal(body("ConfigMap", kMeta + field(9, "x"))) == 415);
  CHECK(refusal("{}") == 400);
  CHECK(refusal(body("ConfigMap", std::string("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"))) == 400);
  const std::string whole = body("ConfigMap", kMeta);
  CHECK(refusal(whole) == 0);
  // Truncated here, the body is an object without fields.
  const size_t named = body("ConfigMap", "").size() - 2;
  for (size_t size = 0; size < whole.size(); ++size) {
    if (size == named) continue;
    const int status = refusal(whole.substr(0, size));
    CHECK((status == 400 || status == 415));
  }
}

}  // namespace protobuf_body_test
