#include "kube/list/prune.h"

#include <doctest/doctest.h>

#include <array>

#include "kml/base/json.h"

namespace prune_test {

using namespace kml;

TEST_CASE("prune: empties lists and objects by their keys") {
  constexpr std::array<std::string_view, 2> kKeys = {"env", "managedFields"};
  const auto pruned = [&](const std::string& text) { return kube::pruned(text, kKeys); };
  struct Row {
    const char *text, *result;
  };
  for (const Row& row :
       {Row{R"({"a": 1})", R"({"a": 1})"},
        Row{R"({"env": [{"name": "A", "value": "]}\"["}], "b": 2})", R"({"env": [], "b": 2})"},
        Row{R"({"env" : {"x": {"y": "}"}}})", R"({"env" : {}})"},
        Row{R"([{"env":[[],[{}]]},{"env":[1]}])", R"([{"env":[]},{"env":[]}])"},
        // a value that is a text, and a text that is not a key
        Row{R"({"labels": {"env": "prod"}, "c": "env", "d": ["env", [1]]})",
            R"({"labels": {"env": "prod"}, "c": "env", "d": ["env", [1]]})"},
        Row{R"({"\"env": [1], "e\"nv": [1]})", R"({"\"env": [1], "e\"nv": [1]})"},
        Row{R"({"managedFields":[{"f:env":{}}],"env":[]})", R"({"managedFields":[],"env":[]})"}, Row{"", ""},
        Row{"[]", "[]"}}) {
    CAPTURE(row.text);
    CHECK(pruned(row.text) == row.result);
  }
  // Truncated JSON does not become valid.
  for (const char* text :
       {R"({"env": [)", R"({"env": {"a)", R"({"env)", R"({"env":)", R"({"env": [1])", R"({"a": "b\)"}) {
    CAPTURE(text);
    CHECK_THROWS(parse_json(pruned(text), "it"));
  }
}

}  // namespace prune_test
