#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace kml::kube {

/// A line without its newline, or a part of one that is longer than the limit.
struct LinePiece {
  std::string_view text;
  bool begins = true;  ///< the line starts here
  bool ends = true;    ///< its newline follows
};

/// Cuts a stream of bytes into lines, in whatever cuts the bytes come; copies only lines that lie in two of
/// them. A line longer than the limit is cut at the same places however it comes. Holds at most twice
/// `limit`.
class LinePieces {
 public:
  explicit LinePieces(size_t limit) : limit_(limit) {}

  /// Takes the next bytes, which must stay where they are until next() has returned false.
  void feed(std::string_view data) { data_ = data; }

  /// The next piece; false where the data is used up. Pieces stay valid as long as the data, and until the
  /// next feed().
  bool next(LinePiece& piece) {
    const size_t room = limit_ - begun_.size();
    const size_t newline = data_.substr(0, room + 1).find('\n');
    const bool is_whole = newline != std::string_view::npos;
    if (!is_whole && data_.size() <= room) {
      begun_.append(std::exchange(data_, {}));
      return false;
    }
    const size_t length = is_whole ? newline : room;
    piece = {data_.substr(0, length), !inside_, is_whole};
    inside_ = !is_whole;
    if (!begun_.empty()) piece.text = completed_ = std::exchange(begun_, {}).append(piece.text);
    data_.remove_prefix(length + (is_whole ? 1 : 0));
    return true;
  }

  /// What came after the last newline; false where that is nothing.
  bool take_rest(LinePiece& piece) {
    completed_ = std::exchange(begun_, {});
    piece = {completed_, !inside_, true};
    return std::exchange(inside_, false) || !completed_.empty();
  }

  /// A line whose end has not come, where it is short.
  std::string_view begun() const { return inside_ ? std::string_view() : begun_; }
  /// What next() has not given out of the data.
  std::string_view unread() const { return data_; }
  void clear() { *this = LinePieces(limit_); }

 private:
  size_t limit_;
  std::string_view data_;
  std::string begun_;      ///< a piece whose end has not come
  std::string completed_;  ///< one that lay in two feeds: at most the first of each
  bool inside_ = false;    ///< the next piece goes on with a line
};

}  // namespace kml::kube
