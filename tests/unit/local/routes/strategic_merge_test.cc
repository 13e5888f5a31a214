#include "local/routes/routes.h"

#include <doctest/doctest.h>

#include "kml/base/error.h"

namespace kml::local::strategic_merge_test {

namespace {

Json merged(const char* object, const char* patch) {
  Json result = Json::parse(object);
  merge_strategically(result, Json::parse(patch));
  return result;
}

}  // namespace

TEST_CASE("strategic merge: lists of named objects are merged by name") {
  const char* object =
      R"({"containers":[{"name":"a","image":"1","env":[{"name":"X","value":"1"}]},{"name":"b"}]})";
  CHECK(merged(object, R"({"containers":[{"name":"a","image":"2","env":[{"name":"Y","value":"2"}]}]})") ==
        Json::parse(R"({"containers":[{"name":"a","image":"2","env":[{"name":"Y","value":"2"},
          {"name":"X","value":"1"}]},{"name":"b"}]})"));
  CHECK(merged(object, R"({"containers":[{"name":"a","$patch":"delete"}]})") ==
        Json::parse(R"({"containers":[{"name":"b"}]})"));
  CHECK(merged(object, R"({"containers":[{"$patch":"replace"},{"name":"c"}]})") ==
        Json::parse(R"({"containers":[{"name":"c"}]})"));
  CHECK_THROWS_AS(merged(object, R"({"containers":[{"image":"2"}]})"), Error);
}

TEST_CASE("strategic merge: other lists are replaced, and null removes a field") {
  CHECK(merged(R"({"args":["a","b"],"tolerations":[{"key":"a"}],"x":1})",
               R"({"args":["c"],"tolerations":[{"key":"b"}],"x":null})") ==
        Json::parse(R"({"args":["c"],"tolerations":[{"key":"b"}]})"));
}

TEST_CASE("strategic merge: directives replace maps, sort lists, keep and delete items") {
  CHECK(merged(R"({"labels":{"a":"1","b":"2"}})", R"({"labels":{"$patch":"replace","c":"3"}})") ==
        Json::parse(R"({"labels":{"c":"3"}})"));
  CHECK(merged(R"({"env":[{"name":"A"},{"name":"B"}]})",
               R"({"$setElementOrder/env":[{"name":"B"},{"name":"C"},{"name":"A"}],"env":[{"name":"C"}]})") ==
        Json::parse(R"({"env":[{"name":"B"},{"name":"C"},{"name":"A"}]})"));
  CHECK(merged(R"({"finalizers":["a","b"]})", R"({"$deleteFromPrimitiveList/finalizers":["a"]})") ==
        Json::parse(R"({"finalizers":["b"]})"));
  CHECK(merged(R"({"volumes":[{"name":"v","emptyDir":{}}]})",
               R"({"volumes":[{"name":"v","$retainKeys":["name","hostPath"],"hostPath":{"path":"/x"}}]})") ==
        Json::parse(R"({"volumes":[{"name":"v","hostPath":{"path":"/x"}}]})"));
}

}  // namespace kml::local::strategic_merge_test
