#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace kml::local {

/// Splits one direction of an HTTP/2 connection into frames, without keeping them (RFC 9113, section 4.1).
class Http2Frames {
 public:
  struct Frame {
    uint8_t type, flags;
    uint32_t stream;
  };
  /// `frame` is called when the whole frame has arrived.
  explicit Http2Frames(std::function<void(const Frame& frame)> frame) : frame_(std::move(frame)) {}

  void take(std::string_view bytes);

 private:
  static constexpr size_t kHeader = 9;

  uint8_t byte_of_header(size_t at) const { return static_cast<uint8_t>(header_[at]); }
  uint64_t missing() const;
  Frame frame() const;

  std::function<void(const Frame&)> frame_;
  std::string header_;
  uint64_t passed_ = 0;  ///< how many bytes of the frame's payload have arrived
};

/// The requests on an HTTP/2 connection, after the client's preface.
class Http2Streams {
 public:
  Http2Streams();
  void from_client(std::string_view bytes) { client_.take(bytes); }
  void from_server(std::string_view bytes) { server_.take(bytes); }
  bool any() const { return !open_.empty(); }

 private:
  void on_client(const Http2Frames::Frame& frame);
  void on_server(const Http2Frames::Frame& frame);

  Http2Frames client_, server_;
  std::unordered_set<uint32_t> open_;  ///< the streams whose response has not ended
  uint32_t last_ = 0;                  ///< the newest stream that the client has opened
};

}  // namespace kml::local
