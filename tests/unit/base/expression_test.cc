#include "kml/base/expression.h"

#include <doctest/doctest.h>

#include <limits>
#include <map>

#include "kml/base/error.h"

namespace expression_test {

using kml::Expression;
using kml::Json;
using Names = std::vector<std::string>;

const double kNaN = std::numeric_limits<double>::quiet_NaN();

Json value_of(const std::string& name) {
  static const std::map<std::string, Json> kValues = {
      {"train.accuracy", 0.9},
      {"load-data.rows", 150},
      {"params.deploy", "yes"},
      {"params.dry", false},
      {"train.note", nullptr},
      {"train.loss", kNaN},
      {"a.list", {1, 2, 3}},
      {"a.map", {{"k", 1}}},
      {"a.big", 9007199254740993},
      {"2nd.rows", 7},
      {"a.x", 5},
      {"b.y", 3},
      {"a.empty", ""},
      {"a.version", "3.10"},
      {"b.version", "3.9"},
      {"a.short", 3.1},
  };
  return kValues.at(name);
}

bool holds(const std::string& text) {
  return Expression(text).holds(value_of);
}

kml::Error error_of(const std::string& text) {
  try {
    holds(text);
  } catch (const kml::Error& error) {
    CHECK(error.code == kml::ErrorCode::usage);
    return error;
  }
  FAIL("no error: " << text);
  return kml::usage_error("");
}

struct Fault {
  std::string text, message;
};

void check(const std::vector<Fault>& faults) {
  for (const auto& [text, message] : faults) {
    CAPTURE(text);
    CHECK(error_of(text).message == message);
  }
}

std::string repeated(const std::string& part, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += part;
  return text;
}

TEST_CASE("expression: products bind more tightly than sums, then comparisons, && and ||") {
  CHECK(holds("1 + 2 * 3 == 7"));
  CHECK(holds("(1 + 2) * 3 == 9"));
  CHECK(holds("-2 * 3 == -6"));
  CHECK(holds("- -2 == 2"));
  CHECK(holds("true || false && false"));
  CHECK_FALSE(holds("(true || false) && false"));
  CHECK(holds("!false || true"));
  CHECK_FALSE(holds("!(false || true)"));
  CHECK(holds("!params.dry == true"));
  CHECK(holds("1 < 2 && 3 + 1 >= 4"));
  CHECK(holds("(1 < 2) == true"));
}

TEST_CASE("expression: differences and quotients are computed from left to right") {
  CHECK(holds("10 - 3 - 2 == 5"));
  CHECK(holds("10 - 3 + 2 == 9"));
  CHECK(holds("16 / 4 / 2 == 2"));
  CHECK(holds("16 / 4 * 2 == 8"));
  CHECK(holds("1 / 2 == 0.5"));
}

TEST_CASE("expression: each comparison means what its operator says") {
  CHECK(holds("1 < 2"));
  CHECK_FALSE(holds("2 < 2"));
  CHECK(holds("2 <= 2"));
  CHECK_FALSE(holds("3 <= 2"));
  CHECK(holds("2 > 1"));
  CHECK_FALSE(holds("2 > 2"));
  CHECK(holds("2 >= 2"));
  CHECK_FALSE(holds("1 >= 2"));
  CHECK(holds("2 != 1"));
  CHECK_FALSE(holds("2 != 2"));
  CHECK(holds("'a' < 'b' && 'b' <= 'b' && 'Z' < 'a' && 'z' < '\xC3\xA4'"));
}

TEST_CASE("expression: numbers are whole, decimal, or have an exponent") {
  CHECK(holds("1e-3 == 0.001 && 2E2 == 200 && .5 == 0.5"));
  CHECK(holds("1 == 1.0"));
  CHECK(holds("1-2 == -1"));
  CHECK(holds("0.1 + 0.2 != 0.3"));
  CHECK(holds("a.big == 9007199254740993"));
  CHECK(holds("a.big > 9007199254740992"));
}

TEST_CASE("expression: a text that looks like a number or a boolean equals that number or boolean") {
  CHECK(holds("a.x == '5' && '5' == a.x && a.x == '5.0' && a.x != '6'"));
  CHECK(holds("a.x < '10' && '10' > a.x"));
  CHECK(holds("'10' < '5'"));  // two texts
  CHECK(holds("params.dry == 'false' && params.dry != 'true' && params.dry != 'no'"));
  CHECK(holds("a.x != 'five' && a.x != '' && train.note != 'null'"));
}

TEST_CASE(
    "expression: a value that was written as a number keeps its text, but is compared with numbers as a "
    "number") {
  CHECK(holds("a.version == '3.10' && a.version != '3.1' && a.version == 3.1 && a.version > 3"));
  CHECK(holds("a.short == '3.1' && a.short != '3.10' && a.short == a.version"));
  CHECK(holds("a.version < b.version && a.version != b.version"));
  CHECK(holds("a.version < '3.9'"));  // two texts
  CHECK(holds("a.version * 2 == 6.2 && max(a.version, 3) == 3.1 && len(a.version) == 4"));
}

TEST_CASE("expression: other values of different types are unequal, and == compares lists too") {
  CHECK(holds("1 != 'one'"));
  CHECK(holds("params.dry != 0"));
  CHECK(holds("params.dry == false"));
  CHECK(holds("a.list == a.list && a.list != a.map"));
  CHECK(holds("params.deploy == 'yes' && params.deploy != 'Yes' && params.deploy != 'yes '"));
}

TEST_CASE("expression: comparisons with NaN are false, except !=") {
  for (const char* sign : {"==", "<", "<=", ">", ">="}) {
    CHECK_FALSE(holds("train.loss " + std::string(sign) + " 1"));
    CHECK_FALSE(holds("train.loss " + std::string(sign) + " train.loss"));
  }
  CHECK(holds("train.loss != train.loss"));
  CHECK_FALSE(holds("min(1, train.loss) < 2"));
  CHECK_FALSE(holds("min(train.loss, 1) < 2"));
}

TEST_CASE("expression: min and max accept one number or more") {
  CHECK(holds("min(3) == 3 && max(3) == 3"));
  CHECK(holds("min(3, a.x, 1 + 1) == 2"));
  CHECK(holds("max(3, a.x, 1 + 1) == 5"));
}

TEST_CASE("expression: len counts the characters of a text, and the members of a list or a map") {
  CHECK(holds("len('') == 0 && len('abc') == 3"));
  CHECK(holds("len('\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80') == 3"));
  CHECK(holds("len(a.list) == 3 && len(a.map) == 1 && len(a.empty) == 0"));
}

TEST_CASE("expression: a text has single or double quotes, and escapes for quotes and backslashes") {
  CHECK(holds(R"('it"s' == "it\"s")"));
  CHECK(holds(R"("it's" == 'it\'s')"));
  CHECK(holds(R"(len("\\") == 1 && "\\" == '\\')"));
  CHECK(holds(R"(len('a && b') == 6)"));
  check({{R"("a\n" == "b")", "column 3: unknown escape sequence in a text"},
         {R"(1 == "a\")", "column 6: this text has no closing quote"},
         {R"(1 == 'a")", "column 6: this text has no closing quote"},
         {R"('a\)", "column 1: this text has no closing quote"}});
}

TEST_CASE("expression: a value that cannot change the result is not read") {
  Names asked;
  const auto record = [&](const std::string& name) {
    asked.push_back(name);
    return Json(name == "a.yes");
  };
  CHECK_FALSE(Expression("a.no && b.x").holds(record));
  CHECK(Expression("a.yes || b.x > 1").holds(record));
  CHECK(asked == Names{"a.no", "a.yes"});
  CHECK(Expression("a.no && b.x || a.yes").holds(record));
  CHECK(asked == Names{"a.no", "a.yes", "a.no", "a.yes"});
}

TEST_CASE("expression: a result is known early if no unknown name can change it") {
  const auto known = [](const std::string& text) -> std::string {
    const auto value = [](const std::string& name) { return Json(name == "a.yes"); };
    const auto is_open = [](const std::string& name) { return name == "a.open"; };
    const auto holds = Expression(text).holds_already(value, is_open);
    return !holds ? "open" : *holds ? "true" : "false";
  };
  for (const char* text : {"a.no && a.open", "a.open > 1 && a.no", "!(a.yes || a.open)", "a.no"})
    CHECK_MESSAGE(known(text) == "false", text);
  for (const char* text : {"a.yes || a.open", "a.open == 1 || a.yes", "!(a.open && a.no)", "a.yes && !a.no"})
    CHECK_MESSAGE(known(text) == "true", text);
  for (const char* text :
       {"a.yes && a.open", "a.open || a.no", "!a.open", "len(a.open) > 1", "a.open && a.open"})
    CHECK_MESSAGE(known(text) == "open", text);
}

TEST_CASE("expression: isnan() is true only for NaN, and certain for a NaN that is open for comparisons") {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const std::map<std::string, kml::Json> values = {
      {"a.nan", nan}, {"a.inf", inf}, {"a.one", 1}, {"a.text", "x"}, {"a.none", nullptr}};
  const auto value = [&](const std::string& name) { return values.at(name); };
  const auto is_open = [](const std::string& name) { return name == "a.nan" || name == "a.none"; };
  const auto known = [&](const std::string& text) { return Expression(text).holds_already(value, is_open); };
  for (const auto& [name, unused] : values) {
    CAPTURE(name);
    CHECK(Expression("isnan(" + name + ")").holds(value) == (name == "a.nan"));
  }
  CHECK(known("isnan(a.nan)") == true);
  CHECK(known("!isnan(a.nan)") == false);
  CHECK(known("isnan(a.nan) || a.nan < 1") == true);
  CHECK(known("isnan(a.one) || a.one > 2") == false);
  CHECK_FALSE(known("isnan(a.none)").has_value());
  CHECK_FALSE(known("a.nan < 1").has_value());
}

TEST_CASE(
    "expression: the names in an expression are listed once, in order, even those whose values are not "
    "read") {
  const Expression expression("true || b.y > a.x && len(c.z) < b.y && d-e.f-g == \"h.i\"");
  CHECK(expression.names() == Names{"b.y", "a.x", "c.z", "d-e.f-g"});
  CHECK(Expression("true").names().empty());
  CHECK(expression.text().starts_with("true ||"));
}

TEST_CASE("expression: a hyphen within a word is part of a name; a hyphen beside a space is a minus sign") {
  CHECK(holds("load-data.rows == 150"));
  CHECK(holds("a.x - b.y == 2"));
  CHECK(holds("a.x -b.y == 2"));
  CHECK(holds("a.x- b.y == 2"));
  CHECK(holds("-a.x + b.y == -2"));
  CHECK(Expression("a.x-b.y > 0").names() == Names{"a.x-b.y"});
  CHECK(Expression("a--b.c > 0").names() == Names{"a--b.c"});
  CHECK(holds("2nd.rows == 7"));
  CHECK(Expression("3-fold.rows > 0.5-b.y").names() == Names{"3-fold.rows", "b.y"});
}

TEST_CASE("expression: words that only start like true, false, null or a function are names") {
  CHECK(Expression("true.x == nullable.y && min.z > maximum").names() ==
        Names{"true.x", "nullable.y", "min.z", "maximum"});
}

TEST_CASE("expression: spaces and line breaks between words are ignored") {
  CHECK(holds("  1<2\n&&\tmin ( 3,4 )==3\r\n"));
}

TEST_CASE("expression: a missing value or operator is named with its column") {
  check({{"train.accuracy >= ", "column 18: a value is missing"},
         {"", "column 1: a value is missing"},
         {"  \n", "column 1: a value is missing"},
         {"1 < && true", "column 5: a value is missing"},
         {"|| true", "column 1: a value is missing"},
         {"1 + * 2 < 3", "column 5: a value is missing"},
         {"1 == != 2", "column 6: a value is missing"},
         {"() == 1", "column 2: a value is missing"},
         {"min() == 1", "column 5: a value is missing"},
         {"min(1,) == 1", "column 7: a value is missing"},
         {"a.x == $", "column 8: a value is missing"},
         {"a.x b.y", "column 5: an operator is missing"},
         {"a.x 'b'", "column 5: an operator is missing"},
         {"a.x. > 1", "column 4: an operator is missing"},
         {"2x > 1", "column 2: an operator is missing"},
         {"(1, 2) == 1", "column 3: an operator is missing"},
         {"a.x % 2 == 0", "column 5: an operator is missing"}});
}

TEST_CASE("expression: columns count characters, not bytes") {
  check({{"'\xC3\xA4\xE2\x82\xAC' == ", "column 8: a value is missing"}});
}

TEST_CASE("expression: brackets that do not match are named") {
  check({{"1 < (2 + 3", "column 5: this parenthesis is not closed"},
         {"min(1, 2 < 3", "column 4: this parenthesis is not closed"},
         {"1 < 2) && true", "column 6: unmatched `)`"}});
}

TEST_CASE("expression: forms of other languages are corrected") {
  check({{"a.x = 5", "column 5: write == instead of ="},
         {"(a.x = 5)", "column 6: write == instead of ="},
         {"a.x === 5", "column 7: write == instead of ="},
         {"a.x => 5", "column 5: write >= instead of =>"},
         {"a.x =< 5", "column 5: write <= instead of =<"},
         {"true & true", "column 6: write && instead of &"},
         {"true | true", "column 6: write || instead of |"},
         {"true and true", "column 6: write && instead of and"},
         {"true or true", "column 6: write || instead of or"},
         {"not true", "column 1: write ! instead of not"},
         {"not(true)", "column 1: write ! instead of not"},
         {"params.dry == True", "column 15: write true instead of True"},
         {"params.dry == False", "column 15: write false instead of False"},
         {"train.note == None", "column 15: write null instead of None"}});
}

TEST_CASE("expression: for an unknown function, the nearest name is suggested") {
  const kml::Error error = error_of("1 < mni(1, 2)");
  CHECK(error.message == "column 5: unknown function mni; the functions are isnan, len, max, min");
  CHECK(error.fix == "did you mean \"min\"?");
  CHECK(error.why == "the condition is: 1 < mni(1, 2)");
  check({{"len('a', 'b') == 1", "column 10: len needs one value"},
         {"isnan(a.x, a.y)", "column 12: isnan needs one value"}});
  CHECK(error_of("isNaN(a.x)").fix == "did you mean \"isnan\"?");
}

TEST_CASE("expression: comparisons cannot be chained") {
  check({{"1 < a.x < 9", "column 9: a comparison cannot follow another"},
         {"1 == 1 == true", "column 8: a comparison cannot follow another"}});
}

TEST_CASE("expression: a number beyond the range of a double is rejected") {
  check({{"1e999 > 1", "column 1: this number is too large or too small"},
         {"1 < 1e-999", "column 5: this number is too large or too small"}});
}

TEST_CASE("expression: an expression that is certainly not a boolean is rejected before a run") {
  const auto refused = [](const char* text) {
    try {
      const Expression expression(text);
    } catch (const kml::Error& error) {
      return error.message;
    }
    return std::string();
  };
  CHECK(refused("0.9") == "column 1: the condition needs true or false; this is a number");
  CHECK(refused(" a.x + 1") == "column 2: the condition needs true or false; this is a number");
  CHECK(refused("-a.x") == "column 1: the condition needs true or false; this is a number");
  CHECK(refused("len(a.x)") == "column 1: the condition needs true or false; this is a number");
  CHECK(refused("('yes')") == "column 2: the condition needs true or false; this is a text");
  CHECK(refused("null") == "column 1: the condition needs true or false; this is null");
  CHECK(refused("!a.x || a.x == 1").empty());
}

TEST_CASE("expression: types that do not match are named, with the column") {
  check({{"params.deploy", "column 1: the condition needs true or false; params.deploy is a text"},
         {"a.x", "column 1: the condition needs true or false; a.x is a number"},
         {"a.list", "column 1: the condition needs true or false; a.list is a list"},
         {"true && a.map", "column 9: && needs true or false; a.map is a map"},
         {"1 || true", "column 1: || needs true or false; 1 is a number"},
         {"!a.x", "column 2: ! needs true or false; a.x is a number"},
         {"-params.dry == 1", "column 2: - needs numbers; params.dry is a boolean"},
         {"1 + 'a' == 2", "column 5: + needs numbers; \"a\" is a text"},
         {"2 * (1 < 2) == 2", "column 6: * needs numbers; this value is a boolean"},
         {"max(1, 'b') == 2", "column 8: max needs numbers; \"b\" is a text"},
         {"len(5) == 1", "column 5: len needs a text, a list or a map; 5 is a number"},
         {"a.x < 'b'", "column 5: < compares two numbers or two texts; a.x is a number, \"b\" is a text"},
         {"true >= false",
          "column 6: >= compares two numbers or two texts; true is a boolean, false is a boolean"},
         {"1 / (a.x - 5) > 1", "column 6: division by 0"}});
}

TEST_CASE("expression: a missing output equals only null") {
  CHECK(holds("train.note == null && null == train.note"));
  CHECK(holds("train.note != 1 && train.note != '' && train.note != false"));
  CHECK_FALSE(holds("train.note != null"));
  CHECK_FALSE(holds("train.note != null && train.note"));
  CHECK(holds("a.x != null"));
}

TEST_CASE("expression: the error for any other use of a missing output names the output") {
  check({{"train.note", "column 1: the condition needs true or false; train.note has no value"},
         {"train.note && true", "column 1: && needs true or false; train.note has no value"},
         {"train.note + 1 > 1", "column 1: + needs numbers; train.note has no value"},
         {"min(1, train.note) > 1", "column 8: min needs numbers; train.note has no value"},
         {"len(train.note) > 1", "column 5: len needs a text, a list or a map; train.note has no value"},
         {"train.note > 1",
          "column 12: > compares two numbers or two texts; train.note has no value, 1 is a number"}});
}

TEST_CASE("expression: 100 levels are accepted, and more are rejected") {
  CHECK(holds(repeated("(", 100) + "true" + repeated(")", 100)));
  CHECK(holds(repeated("!", 100) + "true"));
  CHECK(holds(repeated("min(", 100) + "1" + repeated(")", 100) + " == 1"));
  const std::string message = "column 101: more than 100 nested parentheses and signs";
  CHECK(error_of(repeated("(", 101) + "true" + repeated(")", 101)).message == message);
  CHECK(error_of(repeated("(", 9999)).message == message);
  CHECK(error_of(repeated("!", 9999)).message == message);
  CHECK(error_of(repeated("-", 9999)).message == message);
  CHECK(error_of(repeated("len(", 2000)).message.starts_with("column 404: more than 100"));
}

TEST_CASE("expression: brackets side by side are not nested") {
  CHECK(holds(repeated("(true) && min(1) == 1 && !false && ", 150) + "true"));
}

TEST_CASE("expression: 10,000 bytes are read, however many operators, and more are rejected") {
  const std::string sum = repeated("1+", 4997) + "1>4997";
  CHECK(sum.size() == 10000);
  CHECK(holds(sum));
  CHECK(error_of(sum + "0").message == "the condition has more than 10,000 bytes");
}

}  // namespace expression_test
