#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "kml/http/transport.h"

/// The WebSocket protocol (RFC 6455) without extensions, for either end of a connection.
namespace kml::http::websocket {

enum class Opcode : uint8_t { continuation = 0, text = 1, binary = 2, close = 8, ping = 9, pong = 10 };

enum class Role { client, server };

/// A message as one frame. A client masks what it sends.
std::string frame(Role sender, Opcode opcode, std::string_view payload);

/// The payload of a close frame: a status code (RFC 6455, 7.4.1) in network order.
std::string close_payload(uint16_t code);
/// Its code; 1005 if the payload has none.
uint16_t close_code(std::string_view payload);

/// Cuts what comes into messages.
class Reader {
 public:
  /// The payload lives until the call returns. False: nothing more is handed on.
  using OnMessage = std::function<bool(Opcode opcode, std::string_view payload)>;

  explicit Reader(Role reader) : role_(reader) {}

  /// Hands on each message that is complete, a fragmented one as a whole, control frames in between as they
  /// come. Throws Error for what the protocol forbids, and for a message over 4 MiB.
  void feed(std::string_view bytes, const OnMessage& on_message);

 private:
  struct Head;
  bool read_head(size_t begin, Head& head) const;
  bool take(const Head& head, std::string_view payload, const OnMessage& on_message);

  Role role_;
  std::string bytes_;                     ///< of frames that are not complete
  std::string message_;                   ///< fragments so far
  Opcode opcode_ = Opcode::continuation;  ///< theirs; `continuation` while there are none
};

/// A nonce for Sec-WebSocket-Key: 16 random bytes as base64.
std::string new_key();
/// What Sec-WebSocket-Accept answers to the key.
std::string accept_of(std::string_view key);
/// The headers that ask for a WebSocket of this subprotocol.
Headers request_headers(const std::string& key, const std::string& subprotocol);

}  // namespace kml::http::websocket
