#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace kml::kube {

/// A line without its newline, or a piece of a line that is redrawn or too long.
struct LinePiece {
  std::string_view text;
  bool begins = true;  ///< whether this is the first piece of a line
  bool ends = true;    ///< whether this is the last piece of a line
};

/// Splits a stream of bytes into lines. The bytes may come in parts of any size; only lines that span several
/// parts are copied. A line above the limit is always cut at the same places. With `at_returns`, lines are
/// also cut after each '\r', because a progress bar may have no newline for hours. Stores at most twice
/// `limit`.
class LinePieces {
 public:
  explicit LinePieces(size_t limit, bool at_returns = false) : limit_(limit), at_returns_(at_returns) {}

  /// Sets the next bytes. They must stay valid until next() has returned false.
  void feed(std::string_view data) { data_ = data; }

  /// Returns the next piece in `piece`, or false at the end of the data. A piece is valid until the next
  /// feed(), and only while the data is valid.
  bool next(LinePiece& piece) {
    const size_t room = limit_ - begun_.size();
    size_t length = std::min(data_.substr(0, room + 1).find('\n'), room);
    const size_t redrawn = at_returns_ ? data_.substr(0, length).find('\r') : std::string_view::npos;
    if (redrawn != std::string_view::npos) length = redrawn + 1;
    const bool is_cut = redrawn != std::string_view::npos || data_.size() > room;
    const bool is_whole = redrawn == std::string_view::npos && length < data_.size() && data_[length] == '\n';
    if (!is_whole && !is_cut) {
      begun_.append(std::exchange(data_, {}));
      return false;
    }
    piece = {data_.substr(0, length), !inside_, is_whole};
    inside_ = !is_whole;
    if (!begun_.empty()) {
      completed_.swap(begun_.append(piece.text));
      begun_.clear();  // clear() keeps the memory for the next line
      piece.text = completed_;
    }
    data_.remove_prefix(length + (is_whole ? 1 : 0));
    return true;
  }

  /// Returns what remains after the last newline and the last piece in `piece`, or false if there is nothing.
  bool take_rest(LinePiece& piece) {
    completed_ = std::exchange(begun_, {});
    piece = {completed_, !inside_, true};
    return std::exchange(inside_, false) || !completed_.empty();
  }

  /// The beginning of an incomplete line; empty once a piece of the line has been returned.
  std::string_view begun() const { return inside_ ? std::string_view() : begun_; }
  /// The next piece, still incomplete.
  LinePiece unfinished() const { return {begun_, !inside_, false}; }
  /// The data that next() has not returned yet.
  std::string_view unread() const { return data_; }
  void clear() { *this = empty_copy(); }
  /// A new splitter with the same settings.
  LinePieces empty_copy() const { return LinePieces(limit_, at_returns_); }

 private:
  size_t limit_;
  bool at_returns_;
  std::string_view data_;
  std::string begun_;      ///< an incomplete piece
  std::string completed_;  ///< pieces that spanned two calls of feed(); at most the first piece of each call
  bool inside_ = false;    ///< whether the next piece continues a line
};

}  // namespace kml::kube
