#include "comm/socket.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <cerrno>
#include <cstring>

namespace trainer {

namespace {

constexpr int kVanishedSeconds = 4;

void set(int fd, int level, int option, int value) {
  setsockopt(fd, level, option, &value, sizeof value);
}

template <typename Function>
Address address_by(Function function, int fd) {
  Address address;
  address.size = sizeof address.storage;
  function(fd, reinterpret_cast<sockaddr*>(&address.storage), &address.size);
  return address;
}

const in6_addr* ipv6(const Address& address) {
  return address.storage.ss_family == AF_INET6
             ? &reinterpret_cast<const sockaddr_in6*>(&address.storage)->sin6_addr
             : nullptr;
}

Address any_address(int family) {
  Address address;
  address.storage.ss_family = static_cast<sa_family_t>(family);
  address.size = family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
  return address;
}

Fd listen_on(const Address& address) {
  Fd fd(socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (fd.get() < 0) return fd;
  set(fd.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  if (address.storage.ss_family == AF_INET6) set(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, 0);
  if (bind(fd.get(), address.get(), address.size) != 0 || listen(fd.get(), SOMAXCONN) != 0) return Fd();
  return fd;
}

}  // namespace

uint16_t Address::port() const {
  // IPv4 and IPv6 addresses have the port at the same offset.
  return ntohs(reinterpret_cast<const sockaddr_in*>(&storage)->sin_port);
}

void Address::set_port(uint16_t port) {
  reinterpret_cast<sockaddr_in*>(&storage)->sin_port = htons(port);
}

std::string Address::host() const {
  char text[NI_MAXHOST] = "";
  getnameinfo(get(), size, text, sizeof text, nullptr, 0, NI_NUMERICHOST);
  const std::string mapped = "::ffff:";
  const in6_addr* six = ipv6(*this);
  return six && IN6_IS_ADDR_V4MAPPED(six) ? std::string(text).substr(mapped.size()) : text;
}

std::string Address::text() const {
  const std::string name = host(), brackets = name.find(':') == std::string::npos ? "" : "[]";
  return brackets.substr(0, 1) + name + (brackets.empty() ? ":" : "]:") + std::to_string(port());
}

std::vector<Address> resolve(const std::string& host, uint16_t port, std::string& why) {
  addrinfo hints = {}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  const int error = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (error != 0) {
    why = "the name " + host + " cannot be resolved: " + gai_strerror(error);
    return {};
  }
  std::vector<Address> addresses;
  for (const addrinfo* one = found; one; one = one->ai_next) {
    Address address;
    std::memcpy(&address.storage, one->ai_addr, one->ai_addrlen);
    address.size = one->ai_addrlen;
    addresses.push_back(address);
  }
  freeaddrinfo(found);
  return addresses;
}

Fd listen_at(uint16_t port, const Address* only) {
  if (only) {
    Address address = *only;
    address.set_port(port);
    return listen_on(address);
  }
  Address any = any_address(AF_INET6);
  any.set_port(port);
  Fd fd = listen_on(any);
  if (fd.get() >= 0 || errno == EADDRINUSE) return fd;
  any = any_address(AF_INET);  // the kernel does not support IPv6
  any.set_port(port);
  return listen_on(any);
}

Fd begin_connect(const Address& address) {
  Fd fd(socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (fd.get() < 0) return fd;
  if (connect(fd.get(), address.get(), address.size) != 0 && errno != EINPROGRESS) return Fd();
  return fd;
}

int connection_error(int fd) {
  int error = 0;
  socklen_t size = sizeof error;
  return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

Fd accept_one(int listener, Address& from) {
  from.size = sizeof from.storage;
  return Fd(accept4(listener, reinterpret_cast<sockaddr*>(&from.storage), &from.size,
                    SOCK_NONBLOCK | SOCK_CLOEXEC));
}

bool lacks_descriptors(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

Address local_address(int fd) {
  return address_by(getsockname, fd);
}

Address peer_address(int fd) {
  return address_by(getpeername, fd);
}

void tune(int fd) {
  set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(fd, IPPROTO_TCP, TCP_KEEPIDLE, 1);
  set(fd, IPPROTO_TCP, TCP_KEEPINTVL, 1);
  set(fd, IPPROTO_TCP, TCP_KEEPCNT, kVanishedSeconds - 1);
}

bool has_vanished(int fd) {
  // The kernel's probes (above) apply only to an idle connection. If data is in transit, the kernel only
  // sends it again, for many minutes. TCP_USER_TIMEOUT is unsuitable, because it would also end connections
  // to a process that does not read for a while.
  tcp_info info = {};
  socklen_t size = sizeof info;
  return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 && info.tcpi_unacked > 0 &&
         info.tcpi_last_ack_recv > 1000 * kVanishedSeconds;
}

}  // namespace trainer
