#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace kml::http {

/// Bytes that wait to be sent, in pieces. If libcurl did not accept a part, the same part is offered again
/// from the same place in memory, because OpenSSL requires that (SSL_write(3): "bad write retry"). Bytes that
/// are added in between become part of the next piece.
class SendQueue {
 public:
  explicit SendQueue(std::string first_piece = {}) : piece_(std::move(first_piece)) {}

  void add(std::string_view bytes) { added_.append(bytes); }
  /// Whether next() would return anything.
  bool has_next(bool begins_piece) const {
    return sent_ < piece_.size() || (begins_piece && !added_.empty());
  }
  /// The bytes to offer. Continues with the next piece only if `begins_piece` is set.
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
  size_t sent_ = 0;  ///< how much of the piece was sent
};

}  // namespace kml::http
