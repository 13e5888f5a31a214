#include "kml/base/text.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace natural_order_test {

using kml::natural_less;

TEST_CASE("natural order: numbers in names are compared by value") {
  std::vector<std::string> names = {"node1",  "gpu-10", "b",      "gpu-9", "",
                                    "gpu-9a", "gpu-09", "a-2-10", "gpu",   "a-2-9"};
  std::sort(names.begin(), names.end(), natural_less);
  const std::vector<std::string> sorted = {"",       "a-2-9", "a-2-10", "b",      "gpu",
                                           "gpu-09", "gpu-9", "gpu-9a", "gpu-10", "node1"};
  CHECK(names == sorted);
}

TEST_CASE("natural order: numbers may have any length, and a name does not come before itself") {
  const std::string nines(100, '9');
  CHECK(natural_less(nines, "1" + nines));
  CHECK_FALSE(natural_less(nines, nines));
  CHECK(natural_less("rank 0009", "rank 10"));
}

}  // namespace natural_order_test
