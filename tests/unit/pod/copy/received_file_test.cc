#include "pod/copy/received_file.h"

#include <doctest/doctest.h>

#include <string>

#include "kml/base/error.h"
#include "support/temporary_folder.h"

namespace received_file_test {

using namespace kml;
using namespace kml::pod;

TEST_CASE("content sum: equals the sum that the tools print") {
  const auto sum = [](SumTool tool, std::string_view text) {
    ContentSum of(tool);
    for (const char c : text) of.add({&c, 1});
    return of.text();
  };
  // The expected sums are those that coreutils' cksum prints.
  CHECK(sum(SumTool::cksum, "") == "4294967295 0");
  CHECK(sum(SumTool::cksum, "123456789") == "930766865 9");
  CHECK(sum(SumTool::sha256sum, "") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  const std::string sha = sum(SumTool::sha256sum, "abc");
  CHECK(sum_in_line(SumTool::sha256sum, sha + "  ./a b") == sha);
  CHECK(sum_in_line(SumTool::sha256sum, sha) == sha);
  CHECK(sum_in_line(SumTool::sha256sum, "abc  ./a").empty());
  CHECK(sum_in_line(SumTool::cksum, "930766865 9 ./a b") == "930766865 9");
  CHECK(sum_in_line(SumTool::cksum, "930766865 9") == "930766865 9");
  CHECK(sum_in_line(SumTool::cksum, "930766865").empty());
  CHECK(sum_in_line(SumTool::cksum, "sh: cksum: not found").empty());
}

TEST_CASE("marked stream: finds the line after the mark, however the stream is split") {
  for (const size_t piece : {1, 2, 7, 100000}) {
    std::string taken;
    MarkedStream stream(3, [&](std::string_view bytes) { taken += bytes; });
    // The file has grown by two bytes.
    const std::string text = "abcxx\n" + stream.mark() + " the sum\n";
    for (size_t at = 0; at < text.size(); at += piece) {
      CHECK_FALSE(stream.line_after_mark());
      stream.feed(std::string_view(text).substr(at, piece));
    }
    CHECK(taken == "abc");
    CHECK(stream.line_after_mark() == "the sum");
  }
}

TEST_CASE("marked stream: a file that has shrunk still has its mark") {
  std::string taken;
  MarkedStream stream(1000, [&](std::string_view bytes) { taken += bytes; });
  stream.feed("ab\n" + stream.mark() + " sum\n");
  CHECK(stream.line_after_mark() == "sum");
}

TEST_CASE("received file: whole blocks of an earlier attempt are kept") {
  const TemporaryFolder folder;
  Beneath beneath(folder.path());
  const std::string content(200000, 'x');
  { ReceivedFile(beneath, "f", SumTool::cksum, 300000).add(content); }
  ReceivedFile again(beneath, "f", SumTool::cksum, 300000);
  CHECK(again.size() == 3 * 65536);
  again.add(std::string_view(content).substr(again.size()));
  ContentSum sum(SumTool::cksum);
  sum.add(content);
  CHECK(again.sum() == sum.text());
  // A part of another, larger file is of no use.
  CHECK(ReceivedFile(beneath, "f", SumTool::cksum, 1000).size() == 0);
}

}  // namespace received_file_test
