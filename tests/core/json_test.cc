#include <doctest/doctest.h>

#include "kml/core/error.h"
#include "kml/core/json.h"

namespace json_test {

using namespace kml;

TEST_CASE("json: what is no JSON, or too deep, or holds a number past all range is refused") {
  for (const std::string& text : {std::string("{"), std::string(2000, '['), std::string("[1e9999]")})
    CHECK_THROWS_AS(parse_json(text, "input"), Error);
}

}  // namespace json_test
