#include "kml/base/sha256.h"

#include <doctest/doctest.h>

#include "base/sha256_blocks.h"
#include "kml/base/error.h"
#include "kml/base/files.h"
#include "support/temporary_folder.h"

namespace sha256_test {

using namespace kml;

namespace {

std::string numbered_bytes(size_t size) {
  std::string bytes;
  for (size_t i = 0; i < size; ++i) bytes += static_cast<char>(i * 7 + i / 256);
  return bytes;
}

std::string in_pieces(std::string_view text, size_t first, size_t step) {
  Sha256 sum;
  sum.add(text.substr(0, first));
  for (size_t at = first; at < text.size(); at += step) sum.add(text.substr(at, step));
  return sum.hex();
}

}  // namespace

TEST_CASE("sha256: the examples of FIPS 180-4, and lengths around the end of a block") {
  const std::pair<std::string, const char*> kVectors[] = {
      {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
      {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopq"
       "r"
       "stnopqrstu",
       "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
      {std::string(1'000'000, 'a'), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
      // Computed by Python's hashlib.
      {std::string(55, 'x'), "d5e285683cd4efc02d021a5c62014694958901005d6f71e89e0989fac77e4072"},
      {std::string(56, 'x'), "04c26261370ee7541549d16dee320c723e3fd14671e66a099afe0a377c16888e"},
      {std::string(63, 'x'), "75220b47218278e656f2013bb8f0c455a25eaf01e86c64924e9d48d89776d6f2"},
      {std::string(64, 'x'), "7ce100971f64e7001e8fe5a51973ecdfe1ced42befe7ee8d5fd6219506b5393c"},
      {std::string(119, 'x'), "000b48d4edf0fa7bee3c6236ecd2785baa5db4eeb8bb54341b029e0d9fa5fb0c"},
      {std::string(120, 'x'), "13f05a0b594787f5ecd315edc96141bd3243203d1b7d4f0836f37308b276ba98"}};
  for (const auto& [text, digest] : kVectors) {
    CAPTURE(text.size());
    CHECK(sha256_hex(text) == digest);
  }
}

TEST_CASE("sha256: a text has one digest, in whatever pieces it arrives") {
  const std::string text = numbered_bytes(300);
  const std::string whole = sha256_hex(text);
  CHECK(whole == "7e1808a3c8e91351e451079d8403e7f3d91b039f2fa7aa102b6d1c43dc7ee74e");
  for (size_t first = 0; first <= text.size(); ++first)
    for (const size_t step : {1, 7, 63, 64, 65, 128, 300}) {
      CAPTURE(first);
      CAPTURE(step);
      REQUIRE(in_pieces(text, first, step) == whole);
    }
}

TEST_CASE("sha256: the digest so far can be read before more is added") {
  Sha256 sum;
  sum.add("ab");
  CHECK(sum.hex() == sha256_hex("ab"));
  sum.add("c");
  CHECK(sum.hex() == sha256_hex("abc"));
}

TEST_CASE("sha256: the processor's instructions give the same result as the portable code") {
  if (!has_sha_ni()) return;
  for (const size_t blocks : {1, 2, 3, 50}) {
    const std::string bytes = "." + numbered_bytes(64 * blocks);  // the blocks start at an odd address, too
    for (const size_t from : {0, 1}) {
      Sha256State portable = {1, 2, 3, 4, 5, 6, 7, 0xffffffff}, by_instructions = portable;
      add_blocks_portably(portable, bytes.data() + from, blocks);
      add_blocks_by_sha_ni(by_instructions, bytes.data() + from, blocks);
      CHECK(portable == by_instructions);
    }
  }
}

TEST_CASE("sha256: the digest of a file is that of its content, even if it is read in several parts") {
  TemporaryFolder folder;
  for (const size_t size : {size_t{0}, size_t{5}, (size_t{2} << 20) + 77}) {
    const std::string bytes = numbered_bytes(size);
    write_file_atomically(folder.path() / "file", bytes);
    CHECK(sha256_of_file(folder.path() / "file") == sha256_hex(bytes));
  }
}

TEST_CASE("sha256: the error for a file that cannot be read names it") {
  TemporaryFolder folder;
  try {
    sha256_of_file(folder.path() / "missing");
    FAIL("it read a file that is not there");
  } catch (const Error& e) {
    CHECK(e.message == "cannot read " + (folder.path() / "missing").string());
    CHECK(e.why == "No such file or directory");
  }
  CHECK_THROWS_AS(sha256_of_file(folder.path()), Error);
}

}  // namespace sha256_test
