#include "kml/base/text.h"

#include <doctest/doctest.h>

namespace text_test {

using namespace kml;

TEST_CASE("text: nearest() finds misspelled and unfinished words, and no others") {
  std::vector<std::string> names = {"submit", "sweep", "logs", "list"};
  CHECK(nearest("sumbit", names) == "submit");
  CHECK(nearest("lgos", names) == "logs");
  CHECK(nearest("sweeep", names) == "sweep");
  CHECK_FALSE(nearest("apply", names));
  CHECK(nearest("sub", names) == "submit");
  CHECK_FALSE(nearest("s", names));
  const std::vector<std::string> alike = {"gpus", "cpu"};
  CHECK(nearest("cpus", alike) == "cpu");
  CHECK(nearest("gpu", alike) == "gpus");
  const std::vector<std::string> times = {"mine", "timeout", "time-limit", "tz"};
  CHECK(nearest("--time", std::vector<std::string>{"--mine", "--time-limit"}) == "--time-limit");
  CHECK(nearest("time", times) == "time-limit");
  CHECK(nearest("timeou", times) == "timeout");
  const std::vector<std::string> short_names = {"b"};
  CHECK_FALSE(nearest("1", short_names));
  CHECK(did_you_mean("lits", names) == "did you mean \"list\"?");
  CHECK(did_you_mean("frobnicate", names).empty());
}

TEST_CASE("text: a size is printed in the largest unit in which it is at least 1") {
  CHECK(size_text(0) == "0 B");
  CHECK(size_text(1023) == "1023 B");
  CHECK(size_text(1025) == "2 KiB");
  CHECK(size_text(3 << 20) == "3 MiB");
  CHECK(size_text(3435973837) == "3.2 GiB");
}

TEST_CASE("text: of many names, the first are listed and the rest are counted") {
  const std::vector<std::string> names = {"a", "b", "c", "d"};
  CHECK(some_of(names, 2) == "a, b and 2 more");
  CHECK(some_of(names, 4) == "a, b, c, d");
  CHECK(some_of({}, 2).empty());
}

TEST_CASE("text: words are quoted for a shell") {
  std::vector<std::string> words = {"python", "it's", "", "a b", "--lr=1e-3"};
  CHECK(shell_quoted(words) == "python 'it'\\''s' '' 'a b' --lr=1e-3");
}

TEST_CASE("text: base64 as in RFC 4648") {
  const char* kVectors[][2] = {{"", ""},
                               {"f", "Zg=="},
                               {"fo", "Zm8="},
                               {"foo", "Zm9v"},
                               {"foob", "Zm9vYg=="},
                               {"fooba", "Zm9vYmE="},
                               {"foobar", "Zm9vYmFy"}};
  for (auto& [plain, encoded] : kVectors) {
    CHECK(base64_encoded(plain) == encoded);
    CHECK(base64_decoded(encoded) == plain);
  }
  CHECK(base64_decoded("Zm9v\nYmFy\n") == "foobar");
  CHECK_FALSE(base64_decoded("Zm9"));
  CHECK_FALSE(base64_decoded("Zg==Zg=="));
  CHECK_FALSE(base64_decoded("!!!!"));
}

TEST_CASE("text: %XX is decoded, and any other % is kept") {
  const char* kRows[][2] = {{"", ""},       {"a%20b", "a b"}, {"%C3%A9%2f", "é/"}, {"100%", "100%"},
                            {"%4", "%4"},   {"%zz", "%zz"},   {"%2541", "%41"},    {"%+1%-1", "%+1%-1"},
                            {"%41%", "A%"}, {"+", "+"}};
  for (const auto& [encoded, plain] : kRows) CHECK(percent_decoded(encoded) == plain);
  CHECK(percent_decoded(percent_encoded("a/b c%+é")) == "a/b c%+é");
}

TEST_CASE("text: a random suffix uses the alphabet of Kubernetes' generated names") {
  std::string suffix = random_suffix();
  CHECK(suffix.size() == 5);
  CHECK(suffix.find_first_not_of("bcdfghjklmnpqrstvwxz2456789") == std::string::npos);
  CHECK(random_hex(16).size() == 32);
  CHECK(random_hex(16) != random_hex(16));
}

}  // namespace text_test
