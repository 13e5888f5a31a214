#include "live/screen/keys.h"

#include <doctest/doctest.h>

namespace keys_test {

using namespace kml::live;

TEST_CASE("keys: characters and sequences, which may arrive in pieces") {
  const std::pair<std::string, std::vector<Key>> kCases[] = {
      {"j", {{KeyKind::text, "j"}}},
      {"é日", {{KeyKind::text, "é"}, {KeyKind::text, "日"}}},
      {"\r\n", {{KeyKind::enter}, {KeyKind::enter}}},
      {"\x7F\x08\t", {{KeyKind::backspace}, {KeyKind::backspace}, {KeyKind::tab}}},
      {"\x03\x1A", {{KeyKind::control, "c"}, {KeyKind::control, "z"}}},
      {"\x1B[A\x1B[B\x1BOA", {{KeyKind::up}, {KeyKind::down}, {KeyKind::up}}},
      {"\x1B[5~\x1B[6~\x1B[H\x1BOF",
       {{KeyKind::page_up}, {KeyKind::page_down}, {KeyKind::home}, {KeyKind::end}}},
      {"\x1B[20~\x1B[1;5C\x1B[201~", {}},
      {"\x1B[200~cy\x1B[201~j", {{KeyKind::paste, "cy"}, {KeyKind::text, "j"}}},
      {"\x1B[200~a\r\n\tb\x03\x7F\x1B[Aé\xFF\x1B[201~", {{KeyKind::paste, "ab[Aé"}}},
      {"\x1B[200~\x1B[201~", {{KeyKind::paste, ""}}},
      {"\xFF\xC0\x80", {}},
      {"\x1Bq", {{KeyKind::escape}, {KeyKind::text, "q"}}},
  };
  for (const auto& [bytes, keys] : kCases) {
    CAPTURE(bytes);
    KeyReader whole;
    CHECK(whole.read(bytes) == keys);
    CHECK_FALSE(whole.waits());
    KeyReader pieces;
    std::vector<Key> read;
    for (const char byte : bytes)
      for (Key& key : pieces.read({&byte, 1})) read.push_back(std::move(key));
    CHECK(read == keys);
  }
}

TEST_CASE("keys: an Escape character that nothing follows is the Escape key") {
  KeyReader reader;
  CHECK(reader.read("\x1B").empty());
  CHECK(reader.waits());
  CHECK(reader.end() == std::vector<Key>{{KeyKind::escape}});
  CHECK_FALSE(reader.waits());
  CHECK(reader.end().empty());
}

TEST_CASE("keys: a paste becomes a key only when its end arrives, however long that takes") {
  KeyReader reader;
  CHECK(reader.read("\x1B[200~cy\x1B[2").empty());
  CHECK_FALSE(reader.waits());
  CHECK(reader.end().empty());
  CHECK(reader.read("01~c") == std::vector<Key>{{KeyKind::paste, "cy"}, {KeyKind::text, "c"}});
}

TEST_CASE("keys: only the start of a very long paste is kept") {
  KeyReader reader;
  CHECK(reader.read("\x1B[200~").empty());
  for (int i = 0; i < 100; ++i) CHECK(reader.read(std::string(1000, 'c')).empty());
  CHECK(reader.read("\x1B[201~") == std::vector<Key>{{KeyKind::paste, std::string(4096, 'c')}});
}

}  // namespace keys_test
