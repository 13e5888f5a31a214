#include "pipeline/engine/list_names.h"

#include <doctest/doctest.h>

#include <set>

#include "kml/base/text.h"
#include "kml/pipeline/engine/key.h"

namespace kml::pipeline::list_names_test {

TEST_CASE("names in lists: each name has its own text, even if it is not UTF-8") {
  const std::string names[] = {
      "a.txt",        "ä.txt",        "a\xE9.txt",     "a\xE8.txt",    "a\xEF\xBF\xBD.txt",
      "a\\udce9.txt", "\\\xE9\\\xE8", "\"\xFF\"",      "\xE9\n\x7F\t", "\xC3",
      "\xC3\xA4\xC3", "\xED\xB3\xA9", "a\\\\udce9.txt"};
  std::set<std::string> texts;
  for (const std::string& name : names) {
    const std::string text = name_in_list(name);
    CAPTURE(text);
    CHECK(is_utf8(text));
    CHECK(text.find('\n') == std::string::npos);
    CHECK(name_of_line(text) == name);
    CHECK(lines_by_name(text + " 644 x\n") == std::map<std::string, std::string>{{name, " 644 x"}});
    CHECK(is_utf8(shown_name(name)));
    texts.insert(text);
  }
  CHECK(texts.size() == std::size(names));
  CHECK(name_in_list("ä\x01.txt") == "\"ä\\u0001.txt\"");  // as in the lists of earlier versions
  CHECK(shown_name("caf\xE9.txt") == "caf\\xe9.txt");
}

TEST_CASE("names in lists: a text that is not a name in a list has no name") {
  for (const char* text : {"\"a", "a", "", "\"", "\"\\ud800\"", "\"\\udcz9\"", "\"\\x\\udce9\""}) {
    CAPTURE(text);
    CHECK_FALSE(name_of_line(text));
  }
}

}  // namespace kml::pipeline::list_names_test
