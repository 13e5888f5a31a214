#include "kml/base/frames.h"

#include <doctest/doctest.h>

#include <string>

#include "kml/base/text.h"

namespace frames_test {

using namespace kml;

namespace {

std::string bytes_of(size_t size) {
  std::string bytes;
  unsigned state = 7;
  while (bytes.size() < size) bytes += static_cast<char>((state = state * 1103515245 + 12345) >> 16);
  return bytes;
}

struct Sent {
  std::string bytes = bytes_of(20'000);
  std::string lines;
  Frames frames = append_frames(bytes, lines);

  std::string fault_of(const std::string& log) const {
    std::string read;
    const char* fault = read_frames(log, frames, read);
    CHECK((fault || read == bytes));
    return fault ? fault : "";
  }
  size_t line(size_t number) const {
    size_t at = 0;
    for (; number > 0; --number) at = lines.find('\n', at) + 1;
    return at;
  }
};

}  // namespace

TEST_CASE("frames: bytes of any length are read from a log as they were written") {
  for (const size_t size : {0, 1, 2, 3, 5999, 6000, 6001, 100'000}) {
    const std::string bytes = bytes_of(size);
    std::string lines, read;
    const Frames frames = append_frames(bytes, lines);
    CHECK(read_frames("step=1 loss=2\n" + lines + "a line after\n", frames, read) == nullptr);
    CHECK(read == bytes);
    for (const std::string& line : split(lines, '\n')) CHECK(line.size() < 16'000);
  }
}

TEST_CASE("frames: other lines may stand before, between and after the frames") {
  const Sent sent;
  CHECK(sent.fault_of(sent.lines) == "");
  CHECK(sent.fault_of("100%" + sent.lines) == "");  // output of the program without a newline
  std::string mixed = sent.lines;
  mixed.insert(sent.line(2), "a warning of somebody else\n::kml-step:0123456789abcdef 2/4 00000000 AAAA\n");
  CHECK(sent.fault_of(mixed) == "");
  std::string without_end = sent.lines;
  without_end.pop_back();
  CHECK(sent.fault_of(without_end) == "");
}

TEST_CASE("frames: cut, repeated, missing or damaged frames are reported and not used") {
  const Sent sent;
  std::string log = sent.lines;
  SUBCASE("cut within a line") {
    log.resize(sent.line(3) + 100);
    CHECK(sent.fault_of(log) == "a line is damaged");
  }
  SUBCASE("cut between lines") {
    log.resize(sent.line(3));
    CHECK(sent.fault_of(log) == "its end is missing");
  }
  SUBCASE("a line is repeated") {
    log.insert(sent.line(2), log.substr(sent.line(2), sent.line(3) - sent.line(2)));
    CHECK(sent.fault_of(log) == "a line appears twice");
  }
  SUBCASE("a line is missing") {
    log.erase(sent.line(2), sent.line(3) - sent.line(2));
    CHECK(sent.fault_of(log) == "a line is missing");
  }
  SUBCASE("the beginning is missing") {
    CHECK(sent.fault_of(log.substr(sent.line(2))) == "a line is missing");
  }
  SUBCASE("everything is missing") {
    CHECK(sent.fault_of("step=1 loss=2\n") == "its lines are missing");
  }
  SUBCASE("a character has changed") {
    char& character = log[sent.line(2) + 100];
    character = character == 'A' ? 'B' : 'A';
    CHECK(sent.fault_of(log) == "a line is damaged");
  }
  SUBCASE("a character is not base64") {
    log[sent.line(2) + 100] = '~';
    CHECK(sent.fault_of(log) == "a line is damaged");
  }
  SUBCASE("another checksum was recorded") {
    Frames other = sent.frames;
    other.sha256.back() = other.sha256.back() == '0' ? '1' : '0';
    std::string read;
    CHECK(std::string(read_frames(log, other, read)) == "its checksum differs");
  }
}

TEST_CASE("frames: the checksum is found within the termination message that a program has written") {
  const Sent sent;
  Frames found;
  CHECK(find_frames_note("loss=0.5\n" + frames_note(sent.frames), found));
  CHECK(found.count == sent.frames.count);
  CHECK(found.bytes == sent.bytes.size());
  CHECK(found.sha256 == sent.frames.sha256);
  for (const char* text : {"", "kml-step ", "kml-step 1 2 3", "kml-step 1 2", "loss=0.5",
                           "kml-step -1 2 0000000000000000000000000000000000000000000000000000000000000000"})
    CHECK_FALSE(find_frames_note(text, found));
}

TEST_CASE("frames: base64 as in RFC 4648") {
  for (const auto& [bytes, text] : {std::pair("", ""),
                                    {"f", "Zg=="},
                                    {"fo", "Zm8="},
                                    {"foo", "Zm9v"},
                                    {"foob", "Zm9vYg=="},
                                    {"fooba", "Zm9vYmE="},
                                    {"foobar", "Zm9vYmFy"}}) {
    std::string encoded;
    append_base64(bytes, encoded);
    CHECK(encoded == text);
  }
}

}  // namespace frames_test
