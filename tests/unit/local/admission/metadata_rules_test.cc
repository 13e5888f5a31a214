#include "local/api_fixture.h"

namespace metadata_rules_test {

using namespace kml;
using namespace kml::local;

TEST_CASE_FIXTURE(ApiFixture, "metadata: a value of another type is rejected with its path") {
  const std::pair<const char*, Json> kCases[] = {
      {"metadata.labels", {{"labels", "foo"}}},
      {"metadata.labels[a]", {{"labels", {{"a", 1}}}}},
      {"metadata.annotations", {{"annotations", Json::array()}}},
      {"metadata.annotations[a]", {{"annotations", {{"a", Json::object()}}}}},
      {"metadata.finalizers", {{"finalizers", "x/y"}}},
      {"metadata.finalizers[0]", {{"finalizers", Json::array({1})}}},
      {"metadata.ownerReferences", {{"ownerReferences", Json::object()}}},
      {"metadata.ownerReferences[0]", {{"ownerReferences", Json::array({"x"})}}},
      {"metadata.name", {{"name", 7}}},
  };
  expect(201, "POST", kMaps, config_map("there"));
  for (const auto& [path, metadata] : kCases) {
    CAPTURE(path);
    Json object = config_map("a");
    object["metadata"].update(metadata);
    const Json refusal = expect(400, "POST", kMaps, object);
    CHECK(string_at(refusal, {"message"}).find(path) != std::string::npos);
    patch(422, kMaps + "/there", "application/merge-patch+json", {{"metadata", metadata}});
  }
}

TEST_CASE_FIXTURE(ApiFixture, "metadata: an invalid value is rejected in the API server's words") {
  const Json owner = {
      {"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"name", "x"}, {"uid", "1"}, {"controller", true}};
  Json nameless = owner;
  nameless.erase("name");
  const std::pair<const char*, Json> kCases[] = {
      {"metadata.labels", {{"labels", {{"a b", ""}}}}},
      {"metadata.labels", {{"labels", {{"a", "b c"}}}}},
      {"metadata.annotations", {{"annotations", {{"/", ""}}}}},
      {"metadata.finalizers", {{"finalizers", Json::array({"mine"})}}},
      {"metadata.finalizers", {{"finalizers", Json::array({"a b/c"})}}},
      {"metadata.ownerReferences[0].name", {{"ownerReferences", Json::array({nameless})}}},
      {"metadata.ownerReferences", {{"ownerReferences", Json::array({owner, owner})}}},
  };
  expect(201, "POST", kMaps, config_map("there"));
  for (const auto& [path, metadata] : kCases) {
    CAPTURE(path);
    Json object = config_map("a");
    object["metadata"].update(metadata);
    const Json refusal = expect(422, "POST", kMaps, object);
    CHECK(string_at(refusal, {"message"}).find(std::string(path) + ": ") != std::string::npos);
    patch(422, kMaps + "/there", "application/merge-patch+json", {{"metadata", metadata}});
  }
  Json good = config_map("good", {{"a.b/c", "d"}});
  good["metadata"]["finalizers"] = Json::array({"example.com/x", "orphan"});
  good["metadata"]["ownerReferences"] = Json::array({owner});
  expect(201, "POST", kMaps, good);
}

}  // namespace metadata_rules_test
