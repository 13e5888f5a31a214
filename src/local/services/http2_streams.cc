#include "local/services/http2_streams.h"

#include <algorithm>

namespace kml::local {

namespace {

// RFC 9113, section 6
constexpr uint8_t kDataFrame = 0, kHeadersFrame = 1, kResetFrame = 3;
constexpr uint8_t kEndOfStream = 1;

}  // namespace

/// How many bytes of the frame are still to come, as far as it is known.
uint64_t Http2Frames::missing() const {
  if (header_.size() < kHeader) return kHeader - header_.size();
  const uint64_t length =
      uint64_t{byte_of_header(0)} << 16 | uint64_t{byte_of_header(1)} << 8 | byte_of_header(2);
  return length - passed_;
}

Http2Frames::Frame Http2Frames::frame() const {
  uint32_t stream = 0;
  for (size_t at = 5; at < kHeader; ++at) stream = stream << 8 | byte_of_header(at);
  return {byte_of_header(3), byte_of_header(4), stream & 0x7fffffff};
}

void Http2Frames::take(std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t count = std::min<uint64_t>(missing(), bytes.size());
    if (header_.size() < kHeader)
      header_ += bytes.substr(0, count);
    else
      passed_ += count;
    bytes.remove_prefix(count);
    if (header_.size() < kHeader || missing() > 0) continue;
    const Frame whole = frame();
    header_.clear();
    passed_ = 0;
    frame_(whole);
  }
}

Http2Streams::Http2Streams()
    : client_([this](const Http2Frames::Frame& frame) { on_client(frame); }),
      server_([this](const Http2Frames::Frame& frame) { on_server(frame); }) {}

void Http2Streams::on_client(const Http2Frames::Frame& frame) {
  if (frame.type == kResetFrame) open_.erase(frame.stream);
  if (frame.type != kHeadersFrame || frame.stream <= last_) return;  // a stream's later headers are trailers
  last_ = frame.stream;
  open_.insert(frame.stream);
}

void Http2Streams::on_server(const Http2Frames::Frame& frame) {
  const bool may_end = frame.type == kDataFrame || frame.type == kHeadersFrame;
  if (frame.type == kResetFrame || (may_end && (frame.flags & kEndOfStream) != 0)) open_.erase(frame.stream);
}

}  // namespace kml::local
