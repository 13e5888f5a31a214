#include "kml/base/real_number.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

namespace real_number_test {

using kml::real_number_at;

TEST_CASE("real_number_at: a number beyond the range of a double becomes infinity or zero, as in Python") {
  const std::pair<std::string, double> table[] = {{"1.5x", 1.5},
                                                  {"+2", 2},
                                                  {"-2e3", -2000},
                                                  {"1e999", HUGE_VAL},
                                                  {"-1e+999", -HUGE_VAL},
                                                  {"1e-999", 0},
                                                  {"inf", HUGE_VAL},
                                                  {"-Infinity", -HUGE_VAL},
                                                  {std::string(400, '1'), HUGE_VAL},
                                                  {"0." + std::string(400, '0') + "1", 0}};
  for (const auto& [text, value] : table) {
    CAPTURE(text);
    const char* end = nullptr;
    CHECK(real_number_at(text, end) == value);
    CHECK(end == text.data() + text.size() - (text.ends_with('x') ? 1 : 0));
  }
  const char* end = nullptr;
  CHECK(std::signbit(real_number_at("-1e-999", end).value()));
  CHECK(std::isnan(real_number_at("nan", end).value()));
  for (const char* text : {"", "x", "+-1", "-"}) CHECK_FALSE(real_number_at(text, end));
}

}  // namespace real_number_test
