#include "kube/client/line_pieces.h"

#include <doctest/doctest.h>

#include <vector>

namespace line_pieces_test {

using kml::kube::LinePiece;
using kml::kube::LinePieces;
using std::string_literals::operator""s;

namespace {

/// The pieces when the text is fed in parts of `cut` bytes. After each piece comes "\n" at the end of its
/// line, or "~" if the line continues; before a piece that continues a line comes "+".
std::string pieces_of(std::string_view text, size_t cut, size_t limit, bool at_returns = false) {
  LinePieces pieces(limit, at_returns);
  std::string said;
  LinePiece piece;
  auto say = [&] { said += (piece.begins ? "" : "+") + std::string(piece.text) + (piece.ends ? "\n" : "~"); };
  for (size_t i = 0; i < text.size(); i += cut) {
    pieces.feed(text.substr(i, cut));
    while (pieces.next(piece)) say();
  }
  if (pieces.take_rest(piece)) say();
  return said;
}

}  // namespace

TEST_CASE("line_pieces: gives the same pieces however the bytes are split") {
  const std::string text = "one\n\nabcdefgh\nabcd\nx\xff\0y\nlast"s;
  for (size_t cut = 1; cut <= text.size(); ++cut) {
    CHECK(pieces_of(text, cut, 100) == text + "\n");
    CHECK(pieces_of("abcdefghij\nabcd\nx\n", cut, 4) == "abcd~+efgh~+ij\nabcd\nx\n");
  }
}

TEST_CASE("line_pieces: a redrawn line is cut at the same places however the bytes are split") {
  const std::string text = "1%\r23%\r\nabcd\r\rab\rabcdefg\nlast\r";
  for (size_t cut = 1; cut <= text.size(); ++cut)
    CHECK(pieces_of(text, cut, 4, true) == "1%\r~+23%\r~+\nabcd~+\r~+\r~+ab\r~+abcd~+efg\nlast~+\r~+\n");
  LinePieces pieces(100, true);
  pieces.feed("1%\r2");
  LinePiece piece;
  REQUIRE(pieces.next(piece));
  CHECK(piece.text == "1%\r");
  CHECK(!pieces.next(piece));
}

TEST_CASE("line_pieces: the rest of the text is a line, even if its newline is missing") {
  CHECK(pieces_of("abcd", 9, 100) == "abcd\n");
  CHECK(pieces_of("abcde", 9, 4) == "abcd~+e\n");
  CHECK(pieces_of("", 9, 4).empty());
}

TEST_CASE("line_pieces: without input, nothing is returned") {
  LinePieces pieces(4);
  LinePiece piece;
  CHECK(!pieces.next(piece));
  CHECK(!pieces.take_rest(piece));
}

TEST_CASE("line_pieces: the pieces of one call stay valid until the next call") {
  LinePieces pieces(100);
  LinePiece piece;
  pieces.feed("on");
  CHECK(!pieces.next(piece));
  const std::string data = "e\ntwo\nthr";
  pieces.feed(data);
  std::vector<std::string_view> all;
  while (pieces.next(piece)) all.push_back(piece.text);
  CHECK(all == std::vector<std::string_view>{"one", "two"});
}

}  // namespace line_pieces_test
