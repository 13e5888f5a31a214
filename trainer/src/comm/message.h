#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace trainer {

/// Messages between ranks while they meet: "kmlt" and a length, in eight bytes, followed by that number of
/// bytes of JSON.

/// Sends a whole message. If the connection's buffer is full, waits up to a few seconds. Returns false if it
/// stays full, or if the other end is gone.
bool send_message(int fd, const nlohmann::json& message);

/// Assembles a message from pieces of any size. Never reads beyond the end of the message.
class MessageReader {
 public:
  enum class State { waiting, whole, closed, garbage };

  /// Reads the available bytes without waiting.
  State read(int fd);
  /// Returns the message after State::whole. The reader is then ready for the next one.
  nlohmann::json take();

 private:
  std::string bytes_;
  nlohmann::json message_;
};

}  // namespace trainer
