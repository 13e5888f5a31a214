#pragma once

#include <string>
#include <string_view>

namespace kml::kube {

/// Cuts a stream of bytes into lines, in whatever pieces it comes. Holds at most `limit` bytes and a piece.
class LineSplitter {
 public:
  explicit LineSplitter(size_t limit) : limit_(limit) {}

  void feed(std::string_view data) {
    buffer_.erase(0, taken_);
    taken_ = 0;
    buffer_.append(data);
  }

  /// The next line without its newline, until the next call; false where none is whole yet. Of a line longer
  /// than the limit, pieces of that length, and the rest.
  bool next(std::string_view& line) {
    const std::string_view rest = std::string_view(buffer_).substr(taken_);
    const size_t newline = rest.substr(0, limit_ + 1).find('\n', searched_);
    if (newline == std::string_view::npos && rest.size() <= limit_) {
      searched_ = rest.size();
      return false;
    }
    line = rest.substr(0, std::min(newline, limit_));
    taken_ += line.size() + (newline == std::string_view::npos ? 0 : 1);
    searched_ = 0;
    return true;
  }

  /// What came after the last newline.
  std::string take_rest() {
    std::string rest = buffer_.substr(taken_);
    clear();
    return rest;
  }
  void clear() {
    buffer_.clear();
    taken_ = searched_ = 0;
  }

 private:
  size_t limit_;
  std::string buffer_;
  size_t taken_ = 0;     ///< bytes of the buffer that next() has given out
  size_t searched_ = 0;  ///< bytes behind those that hold no newline
};

}  // namespace kml::kube
