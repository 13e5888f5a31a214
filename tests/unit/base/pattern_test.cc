#include "kml/base/pattern.h"

#include <doctest/doctest.h>

#include "kml/base/error.h"

namespace pattern_test {

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

TEST_CASE("pattern: finds the position of a match, and of the next one") {
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

TEST_CASE("pattern: a group has the text that it matched, or is empty") {
  const Pattern pattern("(\\w+)=(-?\\d+)?(%)?");
  CHECK(pattern.groups() == 3);
  const std::string_view text = "a b=-1% c=";
  auto found = pattern.find_groups(text, 0);
  CHECK(found == std::vector<std::string_view>{"b=-1%", "b", "-1", "%"});
  found = pattern.find_groups(text, 7);
  CHECK(found == std::vector<std::string_view>{"c=", "c", "", ""});
  CHECK(found[1].data() == text.data() + 8);
  CHECK(found[2].data() == nullptr);
  CHECK(pattern.find_groups(text, 9).empty());
  CHECK(Pattern("a").groups() == 0);
  CHECK(Pattern("a").find_groups("ba", 0) == std::vector<std::string_view>{"a"});
}

TEST_CASE("pattern: an invalid expression is rejected") {
  CHECK_THROWS_AS(Pattern("a(b"), kml::Error);
}

}  // namespace pattern_test
