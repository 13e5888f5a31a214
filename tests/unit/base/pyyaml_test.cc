#include "kml/base/pyyaml.h"

#include <doctest/doctest.h>

namespace pyyaml_test {

using namespace kml;

namespace {

std::string read(const std::string& text, bool is_json = false) {
  return yaml::python_json(yaml::parse_one(text, "f"), "f", is_json).dump();
}

}  // namespace

TEST_CASE("pyyaml: scalars are read as by PyYAML 6.0, except that dates and very large integers are texts") {
  const std::pair<const char*, const char*> table[] = {
      {"1e3", "\"1e3\""},
      {"1234e56", "\"1234e56\""},
      {"1.0e3", "\"1.0e3\""},
      {"1.0e+3", "1000.0"},
      {"1e-4", "\"1e-4\""},
      {"0o17", "\"0o17\""},
      {"017", "15"},
      {"08", "\"08\""},
      {"0x1F", "31"},
      {"0b11", "3"},
      {"1_000", "1000"},
      {"_1", "\"_1\""},
      {"1:30", "90"},
      {"1:30:15.5", "5415.5"},
      {"-1:30", "-90"},
      {"01:30", "\"01:30\""},
      {"1.", "1.0"},
      {".5", "0.5"},
      {"+.5", "\"+.5\""},
      {"1.50", "1.5"},
      {"0.0", "0.0"},
      {"-0.0", "-0.0"},
      {"+1", "1"},
      {"12e", "\"12e\""},
      {"y", "\"y\""},
      {"N", "\"N\""},
      {"yes", "true"},
      {"off", "false"},
      {"true", "true"},
      {"TRUE", "true"},
      {"tRue", "\"tRue\""},
      {"~", "null"},
      {"null", "null"},
      {"Null", "null"},
      {"none", "\"none\""},
      {"NaN", "\"NaN\""},
      {"inf", "\"inf\""},
      {"1.2.3", "\"1.2.3\""},
      {"2024-01-01", "\"2024-01-01\""},
      {"'1'", "\"1\""},
      {"!!str 1", "\"1\""},
      {"1-2", "\"1-2\""},
      {"1e", "\"1e\""},
  };
  for (const auto& [text, json] : table) {
    CAPTURE(text);
    CHECK(read(text) == json);
  }
  CHECK(read("{1e3: 1e3, y: n, 1: 2}") == R"({"1":2,"1e3":"1e3","y":"n"})");
  CHECK(read("{y: 1, Y: 2, 'true': 3, 'y ': 4, 1e3: 5, 1000: 6, 1234e56: 7, '.inf': 8}") ==
        R"({".inf":8,"1000":6,"1234e56":7,"1e3":5,"Y":2,"true":3,"y":1,"y ":4})");
  CHECK(read("[12345678901234567890, +100_000_000_000_000_000_000, -9223372036854775809]") ==
        R"([12345678901234567890,"100000000000000000000","-9223372036854775809"])");
  CHECK(read(R"({"a": 1e3, "b": 2.0, "c": 2})", true) == R"({"a":1000.0,"b":2.0,"c":2})");
}

}  // namespace pyyaml_test
