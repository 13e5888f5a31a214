#include "comm/message.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

namespace trainer {

namespace {

constexpr std::string_view kMagic = "kmlt";
constexpr size_t kHeader = 8;
constexpr uint32_t kLongest = 1 << 20;
constexpr int kWriteTimeout = 5000;  ///< ms to wait for a reader that has stopped reading

}  // namespace

bool send_message(int fd, const nlohmann::json& message) {
  const std::string text = message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const auto length = static_cast<uint32_t>(text.size());
  std::string bytes(kMagic);
  bytes.append(reinterpret_cast<const char*>(&length), sizeof length).append(text);
  for (std::string_view rest = bytes; !rest.empty();) {
    const ssize_t sent = send(fd, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      rest.remove_prefix(static_cast<size_t>(sent));
    } else if (errno == EAGAIN) {
      pollfd wait{fd, POLLOUT, 0};
      if (poll(&wait, 1, kWriteTimeout) == 0) return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

MessageReader::State MessageReader::read(int fd) {
  for (;;) {
    uint32_t length = 0;
    if (bytes_.size() >= kHeader) std::memcpy(&length, &bytes_[kMagic.size()], sizeof length);
    if (length > kLongest) return State::garbage;
    const size_t wanted = kHeader + length, have = bytes_.size();
    if (have >= kHeader && have == wanted) {
      message_ = nlohmann::json::parse(bytes_.begin() + kHeader, bytes_.end(), nullptr, false);
      bytes_.clear();
      return message_.is_object() ? State::whole : State::garbage;
    }
    bytes_.resize(wanted);
    const ssize_t got = recv(fd, &bytes_[have], wanted - have, 0);
    bytes_.resize(have + (got > 0 ? static_cast<size_t>(got) : 0));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno == EAGAIN ? State::waiting : State::closed;
    if (got == 0) return State::closed;
    const size_t checked = std::min(bytes_.size(), kMagic.size());
    if (bytes_.compare(0, checked, kMagic, 0, checked) != 0) return State::garbage;
  }
}

nlohmann::json MessageReader::take() {
  return std::exchange(message_, {});
}

}  // namespace trainer
