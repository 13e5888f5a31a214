#include "kml/job/kinds/object_path.h"

#include <doctest/doctest.h>

#include "kml/base/error.h"

namespace object_path_test {

using kml::Json;
using kml::job::ObjectPath;

const Json kObject = {
    {"status", {{"phase", "Done"}}},
    {"tasks", {{{"template", "a"}, {"replicas", 2}}, {{"replicas", 3}}, {{"template", "b"}}}},
    {"specs", {{"Master", {{"template", "m"}}}, {"Worker", {{"template", "w"}}}}}};

TEST_CASE("path: leads to one value, or to the values of each item or each member") {
  for (const auto& [path, wanted] : std::vector<std::pair<const char*, std::vector<std::string>>>{
           {"status.phase", {"status.phase"}},
           {"tasks[*].template", {"tasks[0].template", "tasks[2].template"}},
           {"specs[*].template", {"specs.Master.template", "specs.Worker.template"}},
           {"status.phase.deeper", {}},
           {"status[*].phase", {}},
           {"missing[*].template", {}}}) {
    const std::vector<std::string> found = ObjectPath(path).places(kObject);
    CHECK_MESSAGE(found == wanted, path);
  }
}

TEST_CASE("path: gives the first value, or null") {
  CHECK(ObjectPath("status.phase").first(kObject) == "Done");
  CHECK(ObjectPath("tasks[*].template").first(kObject) == "a");
  CHECK(ObjectPath("status.reason").first(kObject).is_null());
  CHECK(ObjectPath().first(kObject).is_null());
}

TEST_CASE("path: each value can be changed, and comes with the object that contains it") {
  Json object = kObject;
  std::vector<Json> beside;
  ObjectPath("tasks[*].template").each(object, [&](Json& value, const Json& parent) {
    beside.push_back(parent.value("replicas", Json()));
    value = value.get<std::string>() + "!";
  });
  CHECK(beside == std::vector<Json>{2, Json()});
  CHECK(object["tasks"][2]["template"] == "b!");
}

TEST_CASE("path: a text that is not a path is an error") {
  for (const char* text : {"", ".", "a.", ".a", "a..b", "[*]", "a[0]", "a[*", "*", "a.*.b", "a[*][*]"})
    CHECK_THROWS_AS_MESSAGE(ObjectPath{text}, kml::Error, text);
}

}  // namespace object_path_test
