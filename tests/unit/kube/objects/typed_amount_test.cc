#include "kml/kube/objects/typed_amount.h"

#include <doctest/doctest.h>

namespace typed_amount_test {

using kml::api::bytes_problem;
using kml::api::cpus_problem;

TEST_CASE("typed amount: the error says what is wrong with an amount of bytes, and what was probably meant") {
  const std::pair<const char*, const char*> cases[] = {
      {"16Gi", ""},
      {"512Mi", ""},
      {"16G", ""},
      {"1.5Gi", ""},
      {"64Ki", ""},
      {"8589934592", ""},
      {"2e9", ""},
      {"1048576", ""},
      {"128974848000m", ""},
      {"16 GB", "is not an amount of bytes; write 16Gi"},
      {"16GB", "is not an amount of bytes; write 16Gi"},
      {"16gb", "is not an amount of bytes; write 16Gi"},
      {"16 GiB", "is not an amount of bytes; write 16Gi"},
      {"16g", "is not an amount of bytes; write 16Gi"},
      {"1.5 tb", "is not an amount of bytes; write 1.5Ti"},
      {"512 megabytes", "is not an amount of bytes; write 512Mi"},
      {"16K", "is not an amount of bytes; write 16Ki"},
      {"16", "is only 16 bytes; write 16Gi"},
      {"1", "is only 1 byte; write 1Gi"},
      {"1.5", "is a fraction of a byte; write 1.5Gi"},
      {"16384", "is only 16384 bytes; write 16384Mi"},
      {"512m", "is a fraction of a byte, because \"m\" means thousandths; write 512Mi"},
      {"0", "must be more than 0"},
      {"-1Gi", "must be more than 0"},
      {"lots", "is not an amount of bytes; write 512Mi or 16Gi"},
      {"", "is not an amount of bytes; write 512Mi or 16Gi"},
      {"16 gold", "is not an amount of bytes; write 512Mi or 16Gi"},
      {"GB", "is not an amount of bytes; write 512Mi or 16Gi"}};
  for (const auto& [text, problem] : cases) {
    CAPTURE(text);
    CHECK(bytes_problem(text) == problem);
  }
}

TEST_CASE("typed amount: the error says what is wrong with a number of CPUs") {
  const std::pair<const char*, const char*> cases[] = {
      {"4", ""},
      {"1.5", ""},
      {"500m", ""},
      {"500", ""},
      {"2e1", ""},
      {"4Gi", "is not a number of CPUs; write 4, 1.5 or 500m"},
      {"4G", "is not a number of CPUs; write 4, 1.5 or 500m"},
      {"4k", "is not a number of CPUs; write 4, 1.5 or 500m"},
      {"4 cores", "is not a number of CPUs; write 4"},
      {"0.5 CPU", "is not a number of CPUs; write 0.5"},
      {"four", "is not a number of CPUs; write 4, 1.5 or 500m"},
      {"50%", "is not a number of CPUs; write 4, 1.5 or 500m"},
      {"", "is not a number of CPUs; write 4, 1.5 or 500m"},
      {"0", "must be more than 0"},
      {"-2", "must be more than 0"}};
  for (const auto& [text, problem] : cases) {
    CAPTURE(text);
    CHECK(cpus_problem(text) == problem);
  }
}

}  // namespace typed_amount_test
