#include "kml/base/exception_text.h"

#include <doctest/doctest.h>

#include <functional>
#include <stdexcept>

#include "kml/base/error.h"
#include "kml/base/json.h"

namespace kml::exception_text_test {

TEST_CASE("exception_text: texts of nlohmann's exceptions, which may quote a secret, are not shown") {
  const Json object = {{"password", "hunter2"}};
  const std::vector<std::function<void()>> faults = {
      [] { Json parsed = Json::parse("{\"password\": hunter2}"); },
      [] { Json parsed = Json::parse("{\"password\": \"hunter2"); },
      [] { Json parsed = Json::parse("1e999"); },
      [&] { object.at("password").get<int>(); },
      [&] { object.at("hunter2"); },
      [&] { object.at("password").at(3); },
      [&] { object.at(Json::json_pointer("/hunter2/0")); },
      [] { Json("hunter2\xff").dump(); },
      [&] { object.patch(Json::parse(R"([{"op":"test","path":"/password","value":"hunter3"}])")); },
  };
  for (const auto& fault : faults) {
    std::string text;
    try {
      fault();
    } catch (const std::exception& exception) {
      text = exception_text(exception);
    }
    CAPTURE(text);
    CHECK(text.find("JSON") != std::string::npos);
    for (const char* never : {"hunter", "json.exception", "password"})
      CHECK(text.find(never) == std::string::npos);
  }
  CHECK(exception_text(std::runtime_error("no space")) == "no space");
  CHECK(exception_text(Error(ErrorCode::failure, "cannot read")) == "cannot read");
}

TEST_CASE("parse_json: a syntax error is reported with its position, without the text around it") {
  const std::pair<const char*, const char*> faults[] = {
      {"", "it is empty"},
      {"{\"a\": \"hunter2", "it is incomplete"},
      {"{\"a\": 1,\n  \"b\": hunter2}", "line 2, column 8: it is not valid JSON"},
      {"[1e999]", "a number in it is out of range"},
      {"hunter2", "line 1, column 1: it is not valid JSON"},
  };
  for (const auto& [text, why] : faults) {
    CAPTURE(text);
    try {
      parse_json(text, "a test");
      FAIL("it is no JSON");
    } catch (const Error& error) {
      CHECK(error.why == why);
    }
  }
}

}  // namespace kml::exception_text_test
