#include "base/md5.h"

#include <doctest/doctest.h>

#include <string>

using namespace trainer;

TEST_CASE("md5: gives the values of RFC 1321") {
  const auto hex = [](const std::string& text) { return md5_hex(text.data(), text.size()); };
  CHECK(hex("") == "d41d8cd98f00b204e9800998ecf8427e");
  CHECK(hex("a") == "0cc175b9c0f1b6a831c399e269772661");
  CHECK(hex("abc") == "900150983cd24fb0d6963f7d28e17f72");
  CHECK(hex("12345678901234567890123456789012345678901234567890123456789012345678901234567890") ==
        "57edf4a22be3c955ac49da2e2107b67a");
}

TEST_CASE("md5: pieces of any length give the digest of the whole text") {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += static_cast<char>(i * 7);
  for (size_t piece : {1, 3, 63, 64, 65, 200}) {
    Md5 md5;
    for (size_t at = 0; at < text.size(); at += piece)
      md5.update(&text[at], std::min(piece, text.size() - at));
    CHECK(md5.hex() == md5_hex(text.data(), text.size()));
  }
}
