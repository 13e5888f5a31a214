#include "data/idx.h"

#include <doctest/doctest.h>

#include <fstream>

#include "base/error.h"
#include "data/gunzip.h"
#include "support/temporary_folder.h"

using namespace trainer;

namespace {

std::string header(std::initializer_list<uint32_t> words) {
  std::string bytes;
  for (uint32_t word : words) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(word >> shift);
  }
  return bytes;
}

template <typename Read>
std::string why_refused(Read read, const std::string& bytes) {
  const kml::TemporaryFolder folder;
  const auto path = folder.path() / "file";
  std::ofstream(path, std::ios::binary) << bytes;
  try {
    read(path);
  } catch (const Error& error) {
    CHECK(std::string(error.what()).find(path.string()) != std::string::npos);
    return error.why();
  }
  return "";
}

}  // namespace

TEST_CASE("idx: a good file gives its images and labels") {
  const kml::TemporaryFolder folder;
  const auto path = folder.path() / "file";
  std::ofstream(path, std::ios::binary) << header({0x803, 2, 1, 3}) << "abcdef";
  const Images images = read_images(path);
  CHECK(images.count == 2);
  CHECK(images.pixels() == 3);
  CHECK(images.image(1)[0] == 'd');
  std::ofstream(path, std::ios::binary) << header({0x801, 2}) << "\x03\x09";
  const Labels labels = read_labels(path);
  CHECK(labels.count == 2);
  CHECK(labels[1] == 9);
}

TEST_CASE("idx: the error for a bad file states what was expected") {
  CHECK(why_refused(read_images, "abc") == "it has 3 bytes; an IDX file of images has a header of 16");
  CHECK(why_refused(read_images, header({0x801, 1, 1, 1}) + "a") ==
        "it begins with 0x00000801; an IDX file of images begins with 0x00000803");
  CHECK(why_refused(read_images, header({0x803, 2, 1, 3}) + "abcde") ==
        "it is cut short: it has 21 bytes, but according to its header 22");
  CHECK(why_refused(read_images, header({0x803, 2, 1, 3}) + "abcdefg") ==
        "it is too long: it has 23 bytes, but according to its header 22");
  CHECK(why_refused(read_images, header({0x803, 0, 1, 3})) == "according to its header, it has no images");
  CHECK(why_refused(read_images, header({0x803, 0xffffffff, 0xffffffff, 0xffffffff})) ==
        "its images are 4294967295 x 4294967295 pixels; 1 to 256 in each direction are supported");
  CHECK(why_refused(read_images, header({0x803, 0xffffffff, 256, 256})) ==
        "it is cut short: it has 16 bytes, but according to its header 281474976645136");
}

TEST_CASE("idx: a compressed file is found with or without its .gz ending; a missing file is an error") {
  const kml::TemporaryFolder folder;
  const auto path = folder.path() / "file";
  CHECK_THROWS_WITH_AS(read_labels(path), ("cannot read the data file " + path.string()).c_str(), Error);
  // printf '\0\0\010\001\0\0\0\003abc' | gzip -n
  const std::string packed(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff\x63\x60\xe0\x60\x64\x60\x60\x60"
      "\x4e\x4c\x4a\x06\x00\x54\x24\x25\xc4\x0b\x00\x00\x00",
      31);
  std::ofstream(path.string() + ".gz", std::ios::binary) << packed;
  CHECK(read_labels(path)[2] == 'c');
  std::ofstream(path, std::ios::binary) << packed;
  CHECK(read_labels(path).count == 3);
  CHECK(why_refused(read_labels, packed.substr(0, 20)) ==
        "it is cut short: its compressed content does not end");
  std::string flipped = packed;
  flipped[25] = static_cast<char>(flipped[25] ^ 1);
  CHECK(why_refused(read_labels, flipped) == "its compressed content is damaged: incorrect data check");
  CHECK(why_refused(read_labels, packed + "more") == "other data follows its compressed content");
  const std::span bytes(reinterpret_cast<const uint8_t*>(packed.data()), packed.size());
  CHECK(gunzip(bytes, 11).size() == 11);
  for (const size_t most : {0, 1, 10}) CHECK_THROWS_AS(gunzip(bytes, most), DamagedGzip);
}
