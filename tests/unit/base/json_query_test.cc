#include "kml/base/json_query.h"

#include <doctest/doctest.h>

#include <optional>
#include <string>

#include "kml/base/error.h"
#include "kml/base/json.h"

namespace json_query_test {

using namespace kml;

namespace {

const Json kJob = Json::parse(R"({
  "status": {"phase": "Succeeded", "succeeded": 2, "a.b": true, "conditions": [
    {"type": "Created", "status": "True"},
    {"type": "Complete", "status": "False", "tries": 3},
    {"type": "Complete", "status": "True", "tries": 10, "at": {"node": "n1"}}]}})");

std::string found(const std::string& path) {
  const std::optional<Json> value = JsonQuery(path).find(kJob);
  return value ? value->dump() : "nothing";
}

}  // namespace

TEST_CASE("json_query: keys, indexes and escaped dots") {
  CHECK(found("status.phase") == R"("Succeeded")");
  CHECK(found("status|phase") == R"("Succeeded")");
  CHECK(found("@this.status.succeeded") == "2");
  CHECK(found(R"(status.a\.b)") == "true");
  CHECK(found("status.conditions.1.tries") == "3");
  CHECK(found("status.conditions.3") == "nothing");
  CHECK(found("status.conditions.type") == "nothing");
  CHECK(found("status.phase.more") == "nothing");
  CHECK(found("spec") == "nothing");
}

TEST_CASE("json_query: finds the first or every matching element") {
  CHECK(found(R"(status.conditions.#(type=="Complete").tries)") == "3");
  CHECK(found(R"(status.conditions.#(type=="Complete")#.tries)") == "[3,10]");
  CHECK(found(R"(status.conditions.#(type=="Failed"))") == "nothing");
  CHECK(found(R"(status.conditions.#(type=="Failed")#)") == "[]");
  CHECK(found("status.conditions.#(tries>3)#.type") == R"(["Complete"])");
  CHECK(found("status.conditions.#(tries<=3)#.tries") == "[3]");
  CHECK(found("status.conditions.#(at.node)#.tries") == "[10]");
  CHECK(found(R"(status.conditions.#(tries!="3")#.type)") == R"(["Complete","Complete"])");
  CHECK(found(R"(status.conditions.#(status==true)#)") == "[]");
}

TEST_CASE("json_query: a pipe applies the rest of the query to the whole list, as in Katib's conditions") {
  CHECK(found(R"(status.conditions.#(type=="Complete")#|#(status=="True")#.tries)") == "[10]");
  CHECK(found(R"(status.conditions.#(type=="Created")#|#(status=="False")#)") == "[]");
  CHECK(found(R"(status.conditions.#(type=="Complete")#.#(status=="True")#)") == "[]");
  CHECK(found(R"(status.[@this].#(phase=="Succeeded")#.succeeded)") == "[2]");
  CHECK(found(R"(status.[@this].#(phase=="Failed")#)") == "[]");
}

TEST_CASE("json_query: errors name the position of the character") {
  const auto why = [](const std::string& path) -> std::string {
    try {
      JsonQuery query(path);
    } catch (const Error& error) {
      return error.message + ": " + error.why;
    }
    return "no error";
  };
  CHECK(why("") == "the path  has an error at character 1: expected a key");
  CHECK(why("a..b") == "the path a..b has an error at character 3: expected a key");
  CHECK(why("a.#") == "the path a.# has an error at character 4: expected a plain key, #(...) or @this");
  CHECK(
      why("a.#(b==c)") ==
      "the path a.#(b==c) has an error at character 8: expected a string in quotes, a number, true, false or "
      "null");
  CHECK(why(R"q(a.#(b=="c")q") == R"q(the path a.#(b=="c" has an error at character 11: expected ")")q");
  CHECK(why(R"q(a.#(b=="c)#)q") ==
        R"q(the path a.#(b=="c)# has an error at character 12: expected a closing quote)q");
  CHECK(why(R"q(a.#(b=="c")x)q") ==
        R"q(the path a.#(b=="c")x has an error at character 12: expected ".", "|" or the end)q");
  CHECK(why("a.@reverse") ==
        "the path a.@reverse has an error at character 11: expected a plain key, #(...) or @this");
}

}  // namespace json_query_test
