#include "pod/copy/file_stream.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace file_stream_test {

using namespace kml;
using namespace kml::pod;

namespace {

struct Fixture {
  std::vector<CopyEntry> entries = {{.path = "a"}, {.path = "empty"}, {.path = "b"}, {.path = "c"}};
  std::vector<const CopyEntry*> files;
  std::string seen;

  Fixture() {
    for (const CopyEntry& entry : entries) files.push_back(&entry);
  }
  /// The result of reading the text if it arrives in pieces of that size.
  bool read(std::string_view text, size_t piece) {
    FileStream stream(files, SumTool::cksum,
                      {.on_content =
                           [&](const CopyEntry& file, std::string_view content) {
                             seen += file.path + "=" + std::string(content) + ";";
                           },
                       .on_sum = [&](const CopyEntry& file,
                                     const std::string& sum) { seen += file.path + ":" + sum + ";"; }});
    for (; !text.empty(); text.remove_prefix(std::min(piece, text.size())))
      stream.feed(text.substr(0, piece));
    return stream.is_complete();
  }
};

constexpr std::string_view kWhole =
    "3\n2\n0\n4\na\n1\nb\n1 2 ./a\n2 0 ./empty\n3 4 ./b\n1\n1\nc4 1 ./c\nend\n";

}  // namespace

TEST_CASE_FIXTURE(Fixture, "file stream: batches of contents and sums are read, however they are split") {
  for (size_t piece = 1; piece < kWhole.size(); ++piece) {
    seen.clear();
    CHECK(read(kWhole, piece));
    CHECK(seen == "a=a\n;empty=;b=1\nb\n;a:1 2;empty:2 0;b:3 4;c=c;c:4 1;");
  }
}

TEST_CASE_FIXTURE(Fixture, "file stream: is complete only with its end mark") {
  for (size_t size = 0; size < kWhole.size(); ++size) CHECK_FALSE(read(kWhole.substr(0, size), 7));
}

TEST_CASE_FIXTURE(Fixture,
                  "file stream: malformed output, or a file that has become too large, is an error") {
  for (const char* wrong : {"0\n", "5\n", "x\n", "end\n", "1\n\n", "1\n1\naxx\n", "1\n99999999\n"})
    CHECK_THROWS_AS(read(wrong, 100), Error);
  CHECK_THROWS_AS(read(std::string(kWhole) + "x", 1000), Error);
  CHECK_THROWS_AS(read("1\n0\n" + std::string(10000, '1'), 100), Error);
}

}  // namespace file_stream_test
