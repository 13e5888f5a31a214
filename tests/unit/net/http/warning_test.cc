#include "net/http/warning.h"

#include <doctest/doctest.h>

namespace warning_test {

using kml::http::warnings_in;

TEST_CASE("warning: reads the texts of code 299, with or without a date, several in one header") {
  using Texts = std::vector<std::string>;
  const std::pair<const char*, Texts> table[] = {
      {R"(299 - "batch/v1beta1 is deprecated")", {"batch/v1beta1 is deprecated"}},
      {R"(299 kml.test "a" "Sat, 25 Aug 2012 23:34:45 GMT")", {"a"}},
      {R"(299 - "a", 299 - "b, c")", {"a", "b, c"}},
      {R"(299 - "says \"no\" \\ twice")", {R"(says "no" \ twice)"}},
      {R"(199 - "stale", 299 - "b")", {"b"}},
      {R"(299 - "")", {}},
      {"", {}},
      {"299", {}},
      {"299 -", {}},
      {"299 - text", {}},
      {R"(299 - "a", 299 - "never closed)", {"a"}},
      {R"(299 - "ends in \)", {}},
      {R"(29 - "a")", {}},
      {R"(299 - "a" x, 299 - "b")", {"a"}},
  };
  for (const auto& [header, texts] : table) {
    CAPTURE(header);
    CHECK(warnings_in(header) == texts);
  }
}

}  // namespace warning_test
