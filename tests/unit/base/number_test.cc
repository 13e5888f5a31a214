#include "kml/base/text.h"

#include <doctest/doctest.h>

namespace number_test {

using kml::whole_number;

TEST_CASE("whole_number: accepts only digits") {
  CHECK(whole_number("0") == 0);
  CHECK(whole_number("0042") == 42);
  CHECK(whole_number("2147483647") == 2147483647);
  for (const char* text : {"", "-1", "+1", " 1", "1 ", "1.0", "1e3", "x", "2147483648"}) {
    CAPTURE(text);
    CHECK_FALSE(whole_number(text));
  }
}

}  // namespace number_test
