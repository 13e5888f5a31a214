#include "kube/line_splitter.h"

#include <doctest/doctest.h>

#include <vector>

namespace line_splitter_test {

using kml::kube::LineSplitter;

namespace {

std::vector<std::string> lines_of(LineSplitter& splitter, std::string_view data) {
  std::vector<std::string> lines;
  splitter.feed(data);
  for (std::string_view line; splitter.next(line);) lines.emplace_back(line);
  return lines;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("line_splitter: gives the same lines in whatever pieces they come") {
  const std::string text = "one\n\ntwo\nlast";
  for (size_t piece = 1; piece <= text.size(); ++piece) {
    LineSplitter splitter(100);
    Lines lines;
    for (size_t i = 0; i < text.size(); i += piece)
      for (std::string& line : lines_of(splitter, text.substr(i, piece))) lines.push_back(line);
    CHECK(lines == Lines{"one", "", "two"});
    CHECK(splitter.take_rest() == "last");
  }
}

TEST_CASE("line_splitter: a line longer than the limit comes in pieces, the same ones in whatever cuts") {
  const std::string text = "abcdefghij\nabcd\nx\n";
  for (size_t piece = 1; piece <= text.size(); ++piece) {
    LineSplitter splitter(4);
    Lines lines;
    for (size_t i = 0; i < text.size(); i += piece)
      for (std::string& line : lines_of(splitter, text.substr(i, piece))) lines.push_back(line);
    CHECK(lines == Lines{"abcd", "efgh", "ij", "abcd", "x"});
  }
}

}  // namespace line_splitter_test
