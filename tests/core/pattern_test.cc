#include "kml/core/pattern.h"

#include <doctest/doctest.h>

#include "kml/core/error.h"

using kml::Pattern;

TEST_CASE("pattern: plain words, expressions and bytes of any kind are found") {
  CHECK(Pattern("loss").matches("step 1 loss 0.5"));
  CHECK(!Pattern("loss").matches("step 1 Loss 0.5"));
  CHECK(Pattern("(?i)LOSS").matches("step 1 Loss 0.5"));
  CHECK(Pattern("^step \\d+").matches("step 12"));
  CHECK(!Pattern("^step").matches("a step"));
  CHECK(
      Pattern("b.d").matches("a\xFF b\xFE"
                             "d"));
  CHECK(Pattern("").matches("anything"));
}

TEST_CASE("pattern: the place of a match, and of the next one") {
  for (const char* expression : {"ab", "a[b]"}) {
    const Pattern pattern(expression);
    const auto first = pattern.find("ab-ab", 0);
    REQUIRE(first);
    CHECK(first->begin == 0);
    CHECK(first->end == 2);
    const auto second = pattern.find("ab-ab", first->end);
    REQUIRE(second);
    CHECK(second->begin == 3);
    CHECK(!pattern.find("ab-ab", second->end));
  }
}

TEST_CASE("pattern: what is no expression is refused") {
  CHECK_THROWS_AS(Pattern("a(b"), kml::Error);
}
