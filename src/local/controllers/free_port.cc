#include "local/controllers/free_port.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <random>

#include "kml/core/error.h"
#include "kml/core/files.h"

namespace kml::local {

namespace {

constexpr int kFirst = 20'000, kLast = 32'000;

bool is_free(int port) {
  Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  return fd && ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

}  // namespace

int find_free_port(const std::set<int>& taken) {
  std::random_device random;
  std::uniform_int_distribution<int> ports(kFirst, kLast);
  for (int attempt = 0; attempt < 1000; ++attempt)
    if (int port = ports(random); !taken.contains(port) && is_free(port)) return port;
  throw Error(ErrorCode::failure, "cannot find a free TCP port", "none of those tried is free");
}

}  // namespace kml::local
