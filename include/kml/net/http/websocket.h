#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "kml/net/http/transport.h"

/// The WebSocket protocol (RFC 6455) without extensions, for both ends of a connection.
namespace kml::http::websocket {

enum class Opcode : uint8_t { continuation = 0, text = 1, binary = 2, close = 8, ping = 9, pong = 10 };

enum class Role { client, server };

/// Writes a message as one frame. The client's frames are masked.
std::string frame(Role sender, Opcode opcode, std::string_view payload);

/// Writes the payload of a close frame: a status code (RFC 6455, 7.4.1) in network byte order.
std::string close_payload(uint16_t code);
/// Reads the code from the payload of a close frame. 1005 if the payload has none.
uint16_t close_code(std::string_view payload);

/// Splits received bytes into messages.
class Reader {
 public:
  /// Receives a message. The payload is valid until the call returns. Return false to receive no more
  /// messages.
  using OnMessage = std::function<bool(Opcode opcode, std::string_view payload)>;

  explicit Reader(Role reader) : role_(reader) {}

  /// Calls `on_message` for each complete message. Passes on all fragments of a message together, but control
  /// frames between them as soon as they arrive. Throws Error for invalid frames, and for messages over 4
  /// MiB.
  void feed(std::string_view bytes, const OnMessage& on_message);

 private:
  struct Head;
  bool read_head(size_t begin, Head& head) const;
  bool take(const Head& head, std::string_view payload, const OnMessage& on_message);

  Role role_;
  std::string bytes_;    ///< an incomplete frame
  std::string message_;  ///< the fragments received so far
  /// the opcode of the fragmented message; `continuation` if there is none
  Opcode opcode_ = Opcode::continuation;
};

/// A random value for Sec-WebSocket-Key: 16 bytes as base64.
std::string new_key();
/// The value of Sec-WebSocket-Accept for the key.
std::string accept_of(std::string_view key);
/// The headers that request a WebSocket with this subprotocol.
Headers request_headers(const std::string& key, const std::string& subprotocol);

}  // namespace kml::http::websocket
