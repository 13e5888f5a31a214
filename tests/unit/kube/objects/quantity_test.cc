#include "kml/kube/objects/quantity.h"

#include <doctest/doctest.h>

#include <limits>

namespace quantity_test {

using kml::api::quantity_milli;
using kml::api::quantity_units;

TEST_CASE("quantity: suffixes are those of Kubernetes") {
  CHECK(quantity_milli("500m") == 500);
  CHECK(quantity_milli("0.1") == 100);
  CHECK(quantity_milli("4") == 4000);
  CHECK(quantity_milli("1u") == 1);
  CHECK(quantity_units("16Gi") == int64_t{16} << 30);
  CHECK(quantity_units("1.5Ki") == 1536);
  CHECK(quantity_units("2k") == 2000);
  CHECK(quantity_units("2e3") == 2000);
  CHECK(quantity_units("1E") == 1'000'000'000'000'000'000);
  CHECK(quantity_units("12E+2") == 1200);
  CHECK(quantity_units("100m") == 1);
  CHECK(quantity_units("-3") == -3);
  CHECK(quantity_units("64Ei") == std::numeric_limits<int64_t>::max());
  CHECK(quantity_units("123456789012345678901234567890") == std::numeric_limits<int64_t>::max());
}

TEST_CASE("quantity: text that is not a quantity is rejected") {
  for (const char* text :
       {"", "x", "1 Gi", "Gi", "1.2.3", "1K", "1ki", "1GB", "1e", "1e999", "--1", ".", "1gi"}) {
    INFO(text);
    CHECK_FALSE(quantity_milli(text).has_value());
  }
}

}  // namespace quantity_test
