#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace kml::http {

/// Bytes that wait to be sent, in pieces. A part that libcurl did not take is offered again from the same
/// place in memory, as OpenSSL wants (SSL_write(3): "bad write retry"); what is added meanwhile is in the
/// next piece.
class SendQueue {
 public:
  explicit SendQueue(std::string first_piece = {}) : piece_(std::move(first_piece)) {}

  void add(std::string_view bytes) { added_.append(bytes); }
  /// Whether next() has anything.
  bool has_next(bool begins_piece) const {
    return sent_ < piece_.size() || (begins_piece && !added_.empty());
  }
  /// What to offer; after this piece, the next one only if it `begins_piece`.
  std::string_view next(bool begins_piece) {
    if (sent_ == piece_.size()) {
      sent_ = 0;
      piece_.clear();
      if (begins_piece) piece_.swap(added_);
    }
    return std::string_view(piece_).substr(sent_);
  }
  void sent(size_t count) { sent_ += count; }
  size_t size() const { return added_.size() + piece_.size() - sent_; }

 private:
  std::string piece_, added_;
  size_t sent_ = 0;  ///< of the piece
};

}  // namespace kml::http
