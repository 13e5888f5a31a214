#include "kml/base/yaml.h"

#include <doctest/doctest.h>

#include "kml/base/yaml_texts.h"

namespace yaml_test {

using namespace kml;

namespace {

/// The only problem in the text, in the form "line:column: text"; "" if there is none.
std::string problem_of(std::string_view text, const yaml::Limits& limits = {}) {
  try {
    for (const yaml::Node& document : yaml::parse(text, "f.yaml", limits)) yaml::to_json(document, "f.yaml");
  } catch (const Error& error) {
    REQUIRE(error.code == ErrorCode::usage);
    REQUIRE(error.problems.size() == 1);
    const Problem& problem = error.problems[0];
    CHECK(problem.file == "f.yaml");
    return std::to_string(problem.line) + ":" + std::to_string(problem.column) + ": " + problem.text;
  }
  return "";
}

Json json_of(std::string_view text) {
  return yaml::to_json(yaml::parse_one(text, "f.yaml"), "f.yaml");
}

}  // namespace

TEST_CASE("yaml: nodes know their position, their order and their quotes") {
  yaml::Node node = yaml::parse_one("b: 1\na:\n  - \"x\"\n  - y\n", "f.yaml");
  REQUIRE(node.entries.size() == 2);
  CHECK(node.entries[0].key.text == "b");
  const yaml::Node* list = node.find("a");
  REQUIRE(list);
  REQUIRE(list->items.size() == 2);
  CHECK(list->items[0].quoted);
  CHECK_FALSE(list->items[1].quoted);
  CHECK(list->items[1].mark.line == 4);
  CHECK(list->items[1].mark.column == 5);
}

TEST_CASE("yaml: an error gives the position of the text that cannot be read") {
  CHECK(problem_of("a: 1\n b: 2\n") ==
        "2:3: a \": \" is not allowed here: check the indentation, or put text that contains it in quotes");
  CHECK(problem_of("a: 1\nb:\n  - 2\n c: 3\n").ends_with("wrong indentation, or a \":\" is missing"));
  for (const char* text : {"a:\n\tb: 1\n", "a:\n  b: 1\n\tc: 2\n", "a:\n \tb: 1\n", "- a: 1\n\tb: 2\n"}) {
    CAPTURE(text);
    CHECK(problem_of(text).ends_with(": a tab in the indentation: use spaces"));
  }
  CHECK(problem_of("a: [1, 2\n") == "2:1: a \"[\" before this is not closed");
  CHECK(problem_of("a: *x\n") == "1:4: the referenced anchor is not defined");
  CHECK(problem_of("a: &x [*x]\n") == "1:8: the alias refers to a value that contains it");
  CHECK(problem_of("a: 1\nb: 2\na: 3\n") == "3:1: key \"a\" is already at 1:1");
  CHECK(problem_of("1: x\n\"1\": y\n") == "2:1: key \"1\" is already at 1:1");
  CHECK(problem_of("yes: x\n\"true\": y\n") == "2:1: key \"true\" is already at 1:1");
  CHECK(problem_of("a: {1000: x, 1_000: y}\n") == "1:14: key \"1000\" is already at 1:5");
  CHECK(problem_of("[1]: 2\n") == "1:1: a key must be a scalar, but this is a list");
  CHECK(problem_of("{null: 2}\n") == "1:2: a key must be a scalar, but this is null");
  CHECK(problem_of("a: {<<: 3}\n") == "1:9: << must be followed by a mapping or a list of mappings");
  CHECK(problem_of("a: .inf\n") == "1:4: JSON cannot represent the number .inf");
  CHECK(problem_of("a: !!int x\n") == "1:4: \"x\" is not of type !!int");
  CHECK(problem_of("a: !!binary \"@\"\n") == "1:4: !!binary is not base64");
  CHECK(problem_of("a: b\nc: \x04 d\n") ==
        "2:4: this is a control character; write it as an escape in double quotes");
  CHECK(problem_of("a: \xff\n") == "1:4: this byte is not UTF-8");
}

TEST_CASE("yaml: JSON is read as JSON, and its nodes know their position") {
  const std::string text =
      "{\n  \"emoji\": \"\\ud83d\\ude80 \\u00e4\\/\", \"del\": \"\x7f\",\n\t\"\": [1, -2.5e3, true, null, "
      "{}, []],\n"
      "  \"" +
      std::string(2000, 'k') + "\": 18446744073709551615, \"on\": \"on\", \"<<\": \"a\"}";
  const yaml::Node node = yaml::parse_one(text, "f");
  const Json json = yaml::to_json(node, "f");
  CHECK(json == Json::parse(text));
  CHECK(node.entries.at(0).key.mark.line == 2);
  CHECK(node.entries.at(0).key.mark.column == 3);
  CHECK(node.entries.at(0).value.mark.column == 12);
  CHECK(node.entries.at(1).value.mark.column == 44);
  const yaml::Node& list = node.entries.at(2).value;
  CHECK(list.mark.line == 3);
  CHECK(list.mark.column == 6);
  CHECK(list.items.at(1).mark.column == 10);
  CHECK(list.items.at(4).mark.column == 30);
  CHECK(list.items.at(5).mark.column == 34);
  CHECK(node.entries.at(3).value.mark.line == 4);
  // Text that is not JSON is still YAML, and a repeated key is an error in both.
  CHECK(yaml::to_json(yaml::parse_one("{a: 1, 'b': 2}", "f"), "f") == Json{{"a", 1}, {"b", 2}});
  CHECK_THROWS_AS(yaml::parse_one(R"({"a": 1, "a": 2})", "f"), Error);
  CHECK_THROWS_AS(yaml::parse_one(std::string(5000, '[') + std::string(5000, ']'), "f"), Error);
  CHECK(yaml::parse_one("", "f").kind == yaml::Kind::null);
}

TEST_CASE("yaml: hostile texts are rejected") {
  std::string bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last;
    for (int k = 0; k < 9; ++k) bomb += "," + last;
    bomb += "]\n";
  }
  CHECK(problem_of(bomb).find("aliases expand to more than 100000 values") != std::string::npos);

  const std::string wide = "a: &a " + std::string(1 << 20, 'x') + "\nb: [" + [] {
    std::string aliases;
    for (int i = 0; i < 1000; ++i) aliases += "*a,";
    return aliases;
  }() + "]\n";
  CHECK(problem_of(wide).find("bytes") != std::string::npos);

  CHECK(problem_of(std::string(5000, '[') + std::string(5000, ']')) ==
        "1:101: this is nested deeper than 100 levels");
  CHECK(problem_of(std::string(100'000, '[')).find("nested deeper than 100 levels") != std::string::npos);
  // yaml-cpp would first need memory for each of these levels.
  for (const std::string each : {"[", "{a,", "[{\n"}) {
    std::string many = "a: '[' \n" + std::string(100'000, '[') + std::string(100'000, ']') + "\n";
    for (int i = 0; i < 100'001; ++i) many += each;
    CHECK(problem_of(many).find("\"{\" are open here") != std::string::npos);
  }
  std::string nested;
  for (int i = 0; i < 5000; ++i) nested += "- ";
  CHECK(problem_of(nested) == "1:201: this is nested deeper than 100 levels");
  CHECK(problem_of("a: 12345678", {.bytes = 5}) == "0:0: it has 11 bytes, more than 5");
  CHECK(problem_of("[1, 2, 3]", {.nodes = 3}) == "1:8: the file has more than 3 values");
}

TEST_CASE("yaml: merge keys give the same result as with kubectl") {
  CHECK(json_of("x: &x {p: 1, q: 2}\nm: {<<: *x, p: 9}")["m"] == Json({{"p", 9}, {"q", 2}}));
  CHECK(json_of("x: &x {p: 1, q: 2}\nm: {p: 9, <<: *x}")["m"] == Json({{"p", 1}, {"q", 2}}));
  CHECK(json_of("x: &x {p: 1}\ny: &y {p: 5, r: 3}\nm: {<<: [*x, *y]}")["m"] == Json({{"p", 1}, {"r", 3}}));
  CHECK(json_of("m: {\"<<\": 3}")["m"] == Json({{"<<", 3}}));
}

TEST_CASE("yaml: y and n are booleans in Kubernetes, and strings in PyYAML") {
  const std::string text = "{n: [y, N, yes, 'y', !!bool y], Y: {y: off}}";
  CHECK(json_of(text) == Json({{"false", {true, false, true, "y", true}}, {"true", {{"true", false}}}}));
  yaml::Node letters = yaml::parse_one(text, "f");
  yaml::keep_letters(letters);
  CHECK(yaml::to_json(letters, "f") == Json({{"n", {"y", "N", true, "y", true}}, {"Y", {{"y", false}}}}));
}

TEST_CASE("yaml: the texts of keys, numbers and booleans can be kept") {
  const std::string text =
      "{on: [off, No, true, True, y, 1.50, 0.0, ~, !!bool on], 1.50: {Y: 'n'}, !!str n: 08}";
  const auto kept = [&](void (*keep)(yaml::Node&)) {
    yaml::Node node = yaml::parse_one(text, "f");
    keep(node);
    return yaml::to_json(node, "f");
  };
  const Json keys = kept(yaml::keep_keys);
  CHECK(keys["on"] == Json({false, false, true, true, true, 1.5, 0, nullptr, true}));
  CHECK(keys["1.50"] == Json({{"Y", "n"}}));
  CHECK(keys.contains("n"));
  CHECK(kept(yaml::keep_boolean_texts)["true"] ==
        Json({"off", "No", true, "True", "y", 1.5, 0, nullptr, true}));
  CHECK(kept(yaml::keep_number_texts)["true"] ==
        Json({false, false, true, true, true, "1.50", 0, nullptr, true}));
}

TEST_CASE("yaml: a file may have several documents, which are returned separately") {
  CHECK(yaml::parse("", "f").empty());
  CHECK(yaml::parse("# nothing\n", "f").empty());
  CHECK(yaml::parse("a: 1\n---\n---\nb: 2\n", "f").size() == 3);
  CHECK(problem_of("a: &x 1\n---\nb: *x\n") == "3:4: the referenced anchor is not defined");
  CHECK_THROWS_AS(yaml::parse_one("a: 1\n---\nb: 2\n", "f"), Error);
}

TEST_CASE("yaml: values that kml writes are read back unchanged") {
  for (const char* text : {"",
                           "a",
                           "yes",
                           "y",
                           "No",
                           "on",
                           "null",
                           "~",
                           "1",
                           "-1",
                           "1e3",
                           "0x1F",
                           "0o17",
                           "017",
                           "08",
                           "1_000",
                           "1:30",
                           "12:30:45.5",
                           "2001-01-01",
                           "2001-12-14T21:59:43Z",
                           ".5",
                           "5.",
                           "+.5",
                           ".inf",
                           ".NaN",
                           "-",
                           "--",
                           "- a",
                           "-a",
                           "?",
                           "? a",
                           ":",
                           ": a",
                           "a:",
                           "a: b",
                           "a #b",
                           "a#b",
                           "#a",
                           "&a",
                           "*a",
                           "!a",
                           "|",
                           ">",
                           "%a",
                           "@a",
                           "`a",
                           "'a'",
                           "\"a\"",
                           "a\"b",
                           "a\\b",
                           "{a}",
                           "[a]",
                           ",a",
                           " a",
                           "a ",
                           "\ta",
                           "a\tb",
                           "a\nb",
                           "a\nb\n",
                           "a\n\n",
                           "a\n\n\nb\n\n\n",
                           "\na",
                           " a\nb",
                           "a \nb",
                           "a\n  b\n c\n",
                           "a\r\nb",
                           "\n",
                           "\n\n",
                           "---",
                           "--- a",
                           "...",
                           "=",
                           "<<",
                           "é",
                           "日本",
                           "\x7f",
                           "\x01",
                           "\xc2\x85",
                           "\xe2\x80\xa8",
                           "\xef\xbb\xbf"
                           "a",
                           "😀",
                           "a\n\tb\n",
                           "nvidia.com/gpu",
                           "${x}",
                           "0-199",
                           "10Gi",
                           "1.2.3",
                           "a,b",
                           "--lr=0.1",
                           "#!/bin/sh\nset -e\n",
                           "a\n# b\n"}) {
    INFO(text);
    for (const Json& value :
         {Json(text), Json{{"k", text}}, Json{{text, "v"}}, Json::array({text}),
          Json::array({Json::array({text})}), Json::array({{{"k", text}, {"l", Json::array({text, 1})}}})}) {
      const std::string written = yaml::to_yaml(value);
      INFO(written);
      CHECK(json_of(written) == value);
    }
  }
  const Json other = {{"n", nullptr},
                      {"t", true},
                      {"i", -7},
                      {"f", 0.25},
                      {"o", Json::object()},
                      {"a", Json::array()},
                      {"big", 1e300},
                      {"nested", {{"a", Json::array({Json::object()})}}}};
  CHECK(json_of(yaml::to_yaml(other)) == other);
}

TEST_CASE("yaml: kml writes YAML in the same style as kubectl") {
  const Json value = {{"kind", "Job"},
                      {"spec", {{"containers", Json::array({{{"args", {"-c", "true"}}, {"name", "a"}}})}}},
                      {"script", "a\nb\n"},
                      {"v", "1"}};
  CHECK(yaml::to_yaml(value) ==
        "kind: Job\nscript: |\n  a\n  b\nspec:\n  containers:\n  - args:\n    - -c\n    - \"true\"\n    "
        "name: a\nv: "
        "\"1\"\n");
}

}  // namespace yaml_test
