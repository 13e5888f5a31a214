#include "job/queue/packed_objects.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace kml;
using namespace kml::job;

TEST_CASE(
    "packed objects: an unpacked object is the same as before, and packed objects of the same shape are "
    "small") {
  Json object = Json::parse(R"({"kind": "Pod", "metadata": {"name": "bert-0", "labels": {"a": "", "b": "x"}},
    "list": [1, -2, 2.5, true, false, null, [], {}, "\u0000\n", {"deep": [[{"text": "é"}]]}], "large": 18446744073709551615})");
  PackedObjects packer;
  Json first = object;
  packer.pack(first);
  Json other = object;
  other["metadata"]["name"] = "another-name-that-is-longer";
  other["list"][1] = -3'000'000'000;
  Json second = other;
  packer.pack(second);
  REQUIRE(second.is_string());
  CHECK(second.get<std::string>().size() < other.dump().size() / 2);
  CHECK(packer.unpacked(first) == object);
  CHECK(packer.unpacked(second) == other);
  CHECK(packer.unpacked(other) == other);
}

TEST_CASE("packed objects: objects that hardly differ are unpacked unchanged") {
  const std::vector<std::string> texts = {R"({"a": true})",         R"({"a": false})",
                                          R"({"a": null})",         R"({"a": 1})",
                                          R"({"a": -1})",           R"({"a": 1.0})",
                                          R"({"a": "1"})",          R"({"a": ["1"]})",
                                          R"({"a": {"1": "1"}})",   R"({"a": [], "b": "1"})",
                                          R"({"a": [], "c": "1"})", R"({"a": [[], "1"]})",
                                          R"({"a": [["1"]]})",      R"({})"};
  PackedObjects packer;
  std::vector<Json> packed;
  for (const std::string& text : texts) packer.pack(packed.emplace_back(Json::parse(text)));
  for (size_t i = 0; i < texts.size(); ++i) CHECK(packer.unpacked(packed[i]) == Json::parse(texts[i]));
}

TEST_CASE("packed objects: after 1,000 different shapes, objects of further shapes are kept as they are") {
  PackedObjects packer;
  std::vector<Json> objects;
  for (int i = 0; i < 1200; ++i) packer.pack(objects.emplace_back(Json{{"name-" + std::to_string(i), i}}));
  CHECK(objects.front().is_string());
  CHECK(objects.back().is_object());
  for (int i = 0; i < 1200; ++i) CHECK(packer.unpacked(objects[i]) == Json{{"name-" + std::to_string(i), i}});
}
