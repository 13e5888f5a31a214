#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace trainer {

/// What ranks tell each other while they meet: eight bytes, "kmlt" and a length, and as many bytes of JSON.

/// Sends a whole message, waiting for room up to a few seconds. False where the other end is gone.
bool send_message(int fd, const nlohmann::json& message);

/// Puts a message together from whatever comes, in pieces of any size, and reads not a byte beyond it.
class MessageReader {
 public:
  enum class State { waiting, whole, closed, garbage };

  /// Reads what is there, without waiting.
  State read(int fd);
  /// Of State::whole; the reader then begins anew.
  nlohmann::json take();

 private:
  std::string bytes_;
  nlohmann::json message_;
};

}  // namespace trainer
