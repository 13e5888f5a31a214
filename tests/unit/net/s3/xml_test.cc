#include "net/s3/xml.h"

#include <doctest/doctest.h>

#include <string>

namespace xml_test {

using namespace kml::s3;

namespace {

std::string repeated(const std::string& text, size_t count) {
  std::string all;
  for (size_t i = 0; i < count; ++i) all += text;
  return all;
}

}  // namespace

TEST_CASE("s3 xml: finds the elements with the given name") {
  const std::string xml = "<L><Key>a</Key><Keys>b</Keys><Key x=\"1\">c</Key><Key>d</L>";
  CHECK(xml_elements(xml, "Key", 9) == std::vector<std::string_view>{"a", "c"});
  CHECK(xml_elements(xml, "Key", 1) == std::vector<std::string_view>{"a"});
  CHECK(xml_elements(xml, "L", 9).size() == 1);
  CHECK(xml_elements("<Key", "Key", 9).empty());
  CHECK(xml_elements("", "Key", 9).empty());
}

TEST_CASE("s3 xml: references are decoded once") {
  CHECK(xml_text("<Key>a&amp;lt;&lt;&quot;&#34;&apos;&#39;&gt;&more&</Key>", "Key") == "a&lt;<\"\"''>&more&");
  CHECK(xml_text("<Key>a</Key>", "Name").empty());
}

TEST_CASE("s3 xml: the time to read a text grows with its length, whatever it contains") {
  // Each of these texts would take hours if the time grew with the square of its length.
  constexpr size_t kMany = 3'000'000;
  CHECK(xml_text("<Key>" + repeated("&amp;", kMany) + "</Key>", "Key").size() == kMany);
  for (const char* begin : {"<Key", "<Key>", "<Key ", "<Keys>", "</Key>", "&", "<"}) {
    CAPTURE(begin);
    CHECK(xml_elements(repeated(begin, kMany), "Key", 9).size() <= 1);
    CHECK(xml_elements(repeated(begin, kMany) + ">", "Key", 9).size() <= 1);
  }
  CHECK(xml_elements(repeated("<Key>", kMany) + "</Key>", "Key", 9).size() == 1);
}

}  // namespace xml_test
