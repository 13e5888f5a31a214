#include "kml/base/clean.h"

#include <doctest/doctest.h>

#include <random>

namespace clean_test {

using kml::clean;

TEST_CASE("clean: colors stay, and all other terminal sequences are removed") {
  struct Row {
    const char* text;
    const char* shown;
  };
  const Row rows[] = {
      {"plain \xC3\xA9 \xF0\x9F\x98\x80\ttab", "plain \xC3\xA9 \xF0\x9F\x98\x80\ttab"},
      {"\x1B[1;31mred\x1B[0m", "\x1B[1;31mred\x1B[0m"},
      {"a\x1B[2Jb\x1B[10;10Hc", "abc"},
      {"a\x1B[?25lb", "ab"},
      {"a\x1B]0;title\x07z", "az"},
      {"a\x1B]52;c;ZXZpbA==\x1B\\z", "az"},
      {"a\x1BPdcs\x1B\\b\x1B_apc\x1B\\c", "abc"},
      {"a\xC2\x9D"
       "52;c;x\xC2\x9Cz",
       "az"},
      {"a\x9B"
       "2Jz",
       "az"},
      {"a\x1B"
       "cb\x1B(Bd",
       "abd"},
      {"bell\x07 back\x08 del\x7F", "bell back del"},
      {"10%\r50%\r100%", "100%"},
      {"line\r\n", "line\n"},
      {"bad \xFF\xC0\xAF", "bad \xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
      {"cut off \x1B", "cut off "},
      {"cut off \x1B[31", "cut off "},
      {"\x1B]unended\nnext", "\nnext"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(clean(row.text) == row.shown);
  }
}

TEST_CASE("clean: no input leaves a control character, or an escape sequence other than a color") {
  std::mt19937 random(7);
  const std::string alphabet = "\x1B\x1B[]P;m0123456789?AJ\x07\x08\r\n\t\x9B\x9D\xC2\xC3\xE2\x80\x9C\\_X ";
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (int i = 0; i < 24; ++i) text += alphabet[random() % alphabet.size()];
    std::string shown = clean(text);
    for (size_t i = 0; i < shown.size(); ++i) {
      auto c = static_cast<unsigned char>(shown[i]);
      bool is_fine = c >= 0x20 || c == '\n' || c == '\t' || c == 0x1B;
      REQUIRE_MESSAGE(is_fine, "control character ", static_cast<int>(c));
      if (c == 0xC2) REQUIRE(static_cast<unsigned char>(shown[i + 1]) >= 0xA0);
      if (c != 0x1B) continue;
      size_t end = shown.find_first_not_of("0123456789;:", i + 2);
      REQUIRE(shown[i + 1] == '[');
      REQUIRE(end != std::string::npos);
      REQUIRE(shown[end] == 'm');
    }
  }
}

TEST_CASE("clean: clean text is unchanged, and text may arrive in pieces, cut anywhere") {
  std::mt19937 random(11);
  const std::string alphabet =
      "\x1B\x1B[]P;m0123456789?AJ\x07\n\t\x9B\x9D\xC2\xC3\xE2\x80\x9C\xF0\\_X abcdefgh";
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (int i = 0; i < 32; ++i) text += alphabet[random() % alphabet.size()];
    const std::string whole = clean(text);
    REQUIRE(clean(whole) == whole);
    kml::Cleaner cleaner;
    std::string out;
    for (size_t at = 0; at < text.size();) {
      const size_t size = random() % 5;
      cleaner.add(std::string_view(text).substr(at, size), out);
      at += size;
    }
    cleaner.end(out);
    REQUIRE(out == whole);
  }
}

}  // namespace clean_test
