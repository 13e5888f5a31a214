#include "local/shim/command_channel.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "kml/base/error.h"

namespace kml::local {

namespace {

constexpr size_t kMostDescriptors = 4;
// A request's URL has at most 64 KiB, and can become six times as long in JSON.
constexpr size_t kLongestCommand = size_t{512} << 10;

/// The path of a socket can only have 107 bytes, so this address leads through the folder's descriptor.
sockaddr_un address_in(const Fd& folder, const std::filesystem::path& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = "/proc/self/fd/" + std::to_string(folder.get()) + "/" + name.native();
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

Fd open_folder_of(const std::filesystem::path& path) {
  return Fd(::open(path.parent_path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

Fd command_socket() {
  return Fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

}  // namespace

Json to_json(const CommandRequest& request) {
  return {{"container", request.container}, {"argv", request.argv}, {"terminal", request.terminal}};
}

CommandRequest command_request_from_json(const Json& json) {
  return {json.at("container"), json.at("argv"), json.at("terminal")};
}

bool send_message(int socket, std::string_view text, std::span<const int> descriptors) {
  iovec part{const_cast<char*>(text.data()), text.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(kMostDescriptors * sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (!descriptors.empty()) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    cmsghdr* head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(head), descriptors.data(), descriptors.size_bytes());
  }
  return ::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
}

std::optional<Message> receive_message(int socket) {
  Message received{std::string(kLongestCommand, '\0'), {}};
  iovec part{received.text.data(), received.text.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(kMostDescriptors * sizeof(int))];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  errno = 0;
  const ssize_t got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  if (got <= 0) return {};
  received.text.resize(static_cast<size_t>(got));
  for (cmsghdr* head = CMSG_FIRSTHDR(&message); head; head = CMSG_NXTHDR(&message, head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
    for (size_t at = 0; CMSG_LEN(at + sizeof(int)) <= head->cmsg_len; at += sizeof(int)) {
      int descriptor = -1;
      std::memcpy(&descriptor, CMSG_DATA(head) + at, sizeof descriptor);
      received.descriptors.emplace_back(descriptor);
    }
  }
  return received;
}

Fd listen_for_commands(const std::filesystem::path& path) {
  const Fd folder = open_folder_of(path);
  Fd socket = command_socket();
  if (!folder || !socket) throw system_error("cannot make a socket in " + path.parent_path().string(), errno);
  const sockaddr_un address = address_in(folder, path.filename());
  ::unlinkat(folder.get(), path.filename().c_str(), 0);
  // The mode is set before listen(), so that no other user can connect.
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::fchmodat(folder.get(), path.filename().c_str(), 0600, 0) != 0 || ::listen(socket.get(), 64) != 0)
    throw system_error("cannot listen in " + path.parent_path().string(), errno);
  return socket;
}

Fd connect_for_commands(const std::filesystem::path& path) {
  const Fd folder = open_folder_of(path);
  Fd socket = command_socket();
  if (!folder || !socket) return {};
  const sockaddr_un address = address_in(folder, path.filename());
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return {};
  return socket;
}

bool is_trusted_peer(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.uid != ::geteuid())
    return false;
  struct stat own {
  }, other{};
  const std::string theirs = "/proc/" + std::to_string(peer.pid) + "/ns/pid";
  return ::stat("/proc/self/ns/pid", &own) == 0 && ::stat(theirs.c_str(), &other) == 0 &&
         own.st_ino == other.st_ino && own.st_dev == other.st_dev;
}

}  // namespace kml::local
