#include "base/yaml_long_words.h"

#include <doctest/doctest.h>

#include "kml/base/yaml.h"

namespace kml::yaml::yaml_long_words_test {

namespace {

const std::string kLong = "Ab9+/=-_." + std::string(70, 'z');

/// The text with the word in place of each "Ab9".
std::string with(const std::string& word, std::string text) {
  for (size_t at = 0; (at = text.find("Ab9", at)) != std::string::npos; at += word.size())
    text.replace(at, 3, word);
  return text;
}

Json json_of(const std::string& text) {
  return to_json(parse_one(text, "f.yaml"), "f.yaml");
}

}  // namespace

TEST_CASE("a long word in YAML has the meaning that a short one has in its place") {
  for (const std::string text : {
           "a: Ab9\n",
           "a: Ab9",
           "a: Ab9\r\nb: 1\r\n",
           "users:\n- name: n\n  user:\n    token: Ab9\n    key: Ab9\n",
           "a: {b: 1, c: Ab9\n}\n",
           "a: [{b: Ab9\n}, Ab9]\n",
           "a: |\n  b: Ab9\n  c: Ab9\nd: 1\n",
           "a: >-\n  b: Ab9\n  c: Ab9\n\n  d\n",
           "a: 'b\n  c: Ab9\n  d'\n",
           "a: \"b\n  c: Ab9\n  d\"\n",
           "a: \"x: Ab9\"\nb: 'x: Ab9'\n",
           "a: Ab9\n  and more\nb: 1\n",
           "# a: Ab9\nb: 1 # c: Ab9\nd: 2\n",
           "a: &x\n  b: Ab9\nc: *x\n",
           "a: &x Ab9\nb: *x\nc: !!str Ab9\n",
           "? Ab9\n: Ab9\n",
           "Ab9: Ab9\n",
           "- a: Ab9\n- Ab9\n- - b: Ab9\n",
           "a: \"\\x7F0\\x7F\"\nb: Ab9\n",
           "a: \"c:\\\\d\"\nb: Ab9\n",
       }) {
    CAPTURE(text);
    const std::string expected = with(kLong, json_of(text).dump());
    CHECK(json_of(with(kLong, text)).dump() == expected);
  }
}

TEST_CASE("a long number in YAML stays a number, and a problem after a long word keeps its place") {
  CHECK(json_of("a: " + std::string(70, '1')).at("a").is_number());
  try {
    parse_one("a: " + kLong + "\nb: [1\n", "f.yaml");
    FAIL("parsed");
  } catch (const Error& error) {
    CHECK(error.problems.at(0).line == 3);
  }
}

TEST_CASE("yaml-cpp sees no long word that is the value of a key") {
  const std::string text = "a: " + kLong + "\nb:\n  c: " + kLong + "x\n";
  const LongWords words(text);
  const auto mark = [](int word) { return "\x7F" + std::to_string(word) + "\x7F"; };
  CHECK(words.text() == "a: " + mark(0) + "\nb:\n  c: " + mark(1) + "\n");
  CHECK(words.restored(mark(1) + " and " + mark(0)) == kLong + "x and " + kLong);
  CHECK(words.restored("short") == "short");
}

}  // namespace kml::yaml::yaml_long_words_test
