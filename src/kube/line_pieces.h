#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace kml::kube {

/// A line without its newline, or a part of one that is longer than the limit, or that is redrawn.
struct LinePiece {
  std::string_view text;
  bool begins = true;  ///< the line starts here
  bool ends = true;    ///< its newline follows
};

/// Cuts a stream of bytes into lines, in whatever cuts the bytes come; copies only lines that lie in two of
/// them. A line longer than the limit is cut at the same places however it comes; with `at_returns` every one
/// also after each '\r', as a progress bar may have no newline for hours. Holds at most twice `limit`.
class LinePieces {
 public:
  explicit LinePieces(size_t limit, bool at_returns = false) : limit_(limit), at_returns_(at_returns) {}

  /// Takes the next bytes, which must stay where they are until next() has returned false.
  void feed(std::string_view data) { data_ = data; }

  /// The next piece; false if the data is used up. Pieces stay valid as long as the data, and until the
  /// next feed().
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
      begun_.clear();  // keeps its memory
      piece.text = completed_;
    }
    data_.remove_prefix(length + (is_whole ? 1 : 0));
    return true;
  }

  /// What came after the last newline; false if that is nothing.
  bool take_rest(LinePiece& piece) {
    completed_ = std::exchange(begun_, {});
    piece = {completed_, !inside_, true};
    return std::exchange(inside_, false) || !completed_.empty();
  }

  /// A short line whose end has not arrived yet.
  std::string_view begun() const { return inside_ ? std::string_view() : begun_; }
  /// What came of the next piece.
  LinePiece unfinished() const { return {begun_, !inside_, false}; }
  /// What next() has not given out of the data.
  std::string_view unread() const { return data_; }
  void clear() { *this = empty_copy(); }
  /// Cuts other bytes as this does.
  LinePieces empty_copy() const { return LinePieces(limit_, at_returns_); }

 private:
  size_t limit_;
  bool at_returns_;
  std::string_view data_;
  std::string begun_;      ///< a piece whose end has not come
  std::string completed_;  ///< one that lay in two feeds: at most the first of each
  bool inside_ = false;    ///< the next piece goes on with a line
};

}  // namespace kml::kube
