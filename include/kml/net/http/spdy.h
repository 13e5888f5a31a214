#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kml/base/zlib_stream.h"

/// The part of SPDY/3.1 that port-forward uses, for both ends of a connection: streams, without priorities
/// and flow control (the SPDY Protocol draft 3.1, section 2; Kubernetes uses moby/spdystream).
namespace kml::http::spdy {

using HeaderList = std::vector<std::pair<std::string, std::string>>;

enum class Kind : uint16_t {
  data = 0,  ///< a data frame; the protocol's own numbers are only for control frames
  syn_stream = 1,
  syn_reply = 2,
  rst_stream = 3,
  settings = 4,
  ping = 6,
  goaway = 7,
  headers = 8,
  window_update = 9,
};

struct Frame {
  Kind kind = Kind::data;
  uint32_t stream = 0;            ///< or a ping's number
  bool is_last = false;           ///< the flag FIN: the sender sends nothing more on this stream
  std::string_view payload = {};  ///< for data
  HeaderList headers = {};        ///< only for the kinds with headers; the names are in lower case
};

/// Writes frames. Send them in the order in which they were written, because header blocks depend on earlier
/// ones.
class Writer {
 public:
  Writer();
  std::string syn_stream(uint32_t stream, const HeaderList& headers);
  std::string syn_reply(uint32_t stream);
  static std::string data(uint32_t stream, std::string_view payload, bool is_last = false);
  static std::string rst_stream(uint32_t stream, uint32_t status);
  static std::string ping(uint32_t number);

 private:
  std::string header_block(const HeaderList& headers);
  ZlibWriter compressor_;
};

/// Splits received bytes into frames.
class Reader {
 public:
  Reader();
  /// Calls `on_frame` for each complete frame. The frame's views are valid until `on_frame` returns. Throws
  /// Error for invalid frames, and for frames over 1 MiB.
  void feed(std::string_view bytes, const std::function<void(const Frame&)>& on_frame);

 private:
  Frame control_frame(uint16_t kind, uint8_t flags, std::string_view body);
  HeaderList header_list(std::string_view block);

  std::string bytes_;
  ZlibReader decompressor_;
};

}  // namespace kml::http::spdy
