#include <doctest/doctest.h>

#include "kml/base/error.h"
#include "kml/base/json.h"
#include "kml/base/json_fields.h"

namespace json_test {

using namespace kml;

TEST_CASE("json: text that is not JSON, is nested too deep, or has a number out of range is rejected") {
  for (const std::string& text : {std::string("{"), std::string(2000, '['), std::string("[1e9999]")})
    CHECK_THROWS_AS(parse_json(text, "input"), Error);
}

TEST_CASE("json: lists and objects may be nested 512 levels deep, whatever is in the innermost one") {
  const auto nested = [](int depth, const std::string& begin, const std::string& inner,
                         const std::string& end) {
    std::string text = inner;
    for (int i = 0; i < depth; ++i) text = begin + text + end;
    return text;
  };
  for (const char* inner : {"", "7", "\"x\"", "null"}) {
    CAPTURE(inner);
    CHECK_NOTHROW(parse_json(nested(512, "[", inner, "]"), "input"));
    CHECK_THROWS_AS(parse_json(nested(513, "[", inner, "]"), "input"), Error);
  }
  for (const char* inner : {"{}", "[]"}) {
    CAPTURE(inner);
    CHECK_NOTHROW(parse_json(nested(511, "{\"k\":", inner, "}"), "input"));
    CHECK_THROWS_AS(parse_json(nested(512, "{\"k\":", inner, "}"), "input"), Error);
  }
}

TEST_CASE("json: set_said() leaves out empty values, but writes 0 and false") {
  Json object = {{"kept", 1}};
  set_said(object, {{"text", ""},
                    {"list", Json::array()},
                    {"object", Json::object()},
                    {"none", or_null(std::optional<int>())},
                    {"zero", or_null(std::optional<int>(0))},
                    {"false", false}});
  CHECK(object == Json{{"kept", 1}, {"zero", 0}, {"false", false}});
}

namespace {

struct Sample {
  std::string name;
  bool is_main = true;
  int64_t bytes = 7;
  double share = 0;
  std::vector<std::string> words;
  Time begun = {};
  std::optional<int> rank;
  std::optional<Time> ended;
};

constexpr std::tuple kSampleFields = {JsonField{"name", &Sample::name},   JsonField{"main", &Sample::is_main},
                                      JsonField{"bytes", &Sample::bytes}, JsonField{"share", &Sample::share},
                                      JsonField{"words", &Sample::words}, JsonField{"begun", &Sample::begun},
                                      JsonField{"rank", &Sample::rank},   JsonField{"ended", &Sample::ended}};

}  // namespace

TEST_CASE("json_fields: one table writes a struct and reads it back") {
  const Json json = {{"name", "a"},         {"main", false},
                     {"bytes", 1LL << 40},  {"share", 0.5},
                     {"words", {"b", "c"}}, {"begun", "2026-11-21T14:05:06Z"},
                     {"rank", 3},           {"ended", "2026-11-21T14:05:07Z"}};
  Sample sample;
  read_fields(json, sample, kSampleFields);
  CHECK(fields_to_json(sample, kSampleFields) == json);
}

TEST_CASE(
    "json_fields: members that are missing or have another type are unchanged, and empty optional members "
    "are left out") {
  Sample sample;
  read_fields({{"main", "no"}, {"bytes", 1.5}, {"rank", "x"}, {"ended", "soon"}, {"words", "b"}}, sample,
              kSampleFields);
  CHECK(sample.is_main);
  CHECK(sample.bytes == 7);
  CHECK_FALSE(sample.rank);
  CHECK_FALSE(sample.ended);
  CHECK_FALSE(fields_to_json(sample, kSampleFields).contains("rank"));
}

}  // namespace json_test
