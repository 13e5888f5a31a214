#include "local/controllers/index_ranges.h"

#include <doctest/doctest.h>

#include <random>
#include <set>

namespace index_ranges_test {

using kml::local::IndexRanges;

TEST_CASE("index ranges: text becomes ranges, and ranges become text") {
  for (const char* text : {"", "0", "0,2-5", "3-99999", "0-1,3,5-6"})
    CHECK(IndexRanges::parse(text).text() == text);
  CHECK(IndexRanges::parse("0,2-5").count() == 5);
}

TEST_CASE("index ranges: the order in which indexes are added does not matter") {
  std::mt19937 random(1);
  std::set<int> added;
  IndexRanges ranges;
  for (int i = 0; i < 1000; ++i) {
    const int index = static_cast<int>(random() % 500);
    added.insert(index);
    ranges.add(index);
    REQUIRE(ranges.count() == static_cast<int>(added.size()));
    int missing = index;
    while (added.contains(missing)) ++missing;
    REQUIRE(ranges.next_missing(index) == missing);
  }
  CHECK(IndexRanges::parse(ranges.text()).count() == ranges.count());
  for (int index = 0; index < 500; ++index)
    CHECK((ranges.next_missing(index) != index) == added.contains(index));
}

}  // namespace index_ranges_test
