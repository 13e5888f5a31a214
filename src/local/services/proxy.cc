#include "local/services/proxy.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "kml/base/error.h"
#include "kml/base/system_calls.h"
#include "kml/local/daemon.h"
#include "local/shim/status_file.h"

namespace kml::local {

namespace {

using namespace std::chrono_literals;

// How often the proxy tries again to get a port that another process holds, and checks whether its own folder
// still exists.
constexpr auto kTryPort = 1s;
constexpr auto kLookAtFolder = 10s;
/// After a connection had to wait because no descriptor was free, the proxy accepts connections again after
/// this time.
constexpr auto kAcceptAgain = 100ms;
constexpr auto kLookForIdle = 60s;
constexpr int kBacklog = 1024;

template <typename Address>
Fd listen_at(const Address& address, int family) {
  Fd socket(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int yes = 1, no = 0;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (family == AF_INET6) ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
  const bool listens =
      socket && ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      ::listen(socket.get(), kBacklog) == 0;
  return listens ? std::move(socket) : Fd();
}

/// Listens on 127.0.0.1. If the port is public, listens on all IPv4 addresses and, if the machine has IPv6,
/// on all IPv6 addresses.
Fd listen_at_port(int port, bool is_public) {
  sockaddr_in6 any{};
  any.sin6_family = AF_INET6;
  any.sin6_port = htons(static_cast<uint16_t>(port));
  if (Fd socket = is_public ? listen_at(any, AF_INET6) : Fd()) return socket;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(is_public ? INADDR_ANY : INADDR_LOOPBACK);
  return listen_at(address, AF_INET);
}

}  // namespace

Proxy::Proxy(EventLoop& loop, PodFolder folder, Limits limits)
    : loop_(loop),
      folder_(std::move(folder)),
      limits_(limits),
      watch_(loop, "status", [this](const std::string&) { read_routes(); }),
      demand_file_(demand_folder(folder_)) {
  watch_.add(folder_.path, "routes");
  read_routes();
  watch_folder();
  end_idle();
}

void Proxy::read_routes() {
  const auto status = read_status(folder_);
  if (!status) return;
  std::set<int> wanted;
  for (ServiceRoute& route : routes_from_json(*status)) {
    wanted.insert(route.port);
    Listener& listener = listeners_[route.port];
    // If a pod has just become ready, the time until it is idle starts now.
    if (listener.route.targets != route.targets) listener.traffic->last = std::chrono::steady_clock::now();
    listener.route = std::move(route);
    listen(listener.route.port);
  }
  for (auto it = listeners_.begin(); it != listeners_.end();) {
    if (wanted.contains(it->first)) {
      ++it;
      continue;
    }
    if (it->second.socket) loop_.forget(it->second.socket.get());
    it = listeners_.erase(it);
  }
  serve_waiting();
  report_demand();
  end_if_unused();
}

void Proxy::listen(int port) {
  const auto it = listeners_.find(port);
  if (it == listeners_.end() || it->second.socket) return;
  it->second.socket = listen_at_port(port, it->second.route.is_public);
  if (!it->second.socket) return void(loop_.after(kTryPort, [this, port] { listen(port); }));
  accept_at(port);
}

void Proxy::accept_at(int port) {
  loop_.watch(listeners_[port].socket.get(), EPOLLIN, [this, port](uint32_t) { welcome(port); });
}

void Proxy::welcome(int port) {
  const auto it = listeners_.find(port);
  if (it == listeners_.end()) return;
  const int listener = it->second.socket.get();
  // checks that a second descriptor is available, which the connection to the pod needs
  const Fd for_pod(::fcntl(listener, F_DUPFD_CLOEXEC, 0));
  Fd client(for_pod ? ::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC) : -1);
  if (!client) return lacks_descriptors(errno) ? make_room(port) : void();
  const ServiceRoute& route = it->second.route;
  if (route.idle.count() > 0 && route.targets.empty())
    let_wait(port, std::move(client));
  else
    relay(port, std::move(client));
}

/// Frees a descriptor, or stops listening for a while. Otherwise a connection that cannot be accepted would
/// wake the loop again and again.
void Proxy::make_room(int port) {
  if (end_longest_idle(limits_.spare, false)) return;
  Listener& listener = listeners_[port];
  loop_.forget(listener.socket.get());
  loop_.after(kAcceptAgain, [this, port] {
    const auto it = listeners_.find(port);
    if (it == listeners_.end() || !it->second.socket) return;
    loop_.forget(it->second.socket.get());  // the descriptor may meanwhile belong to another listener
    accept_at(port);
  });
}

/// Ends the connection that has carried nothing for the longest time, if that is at least `least`. Prefers
/// connections without a request in progress. With `spares_requests`, never ends a connection with a request
/// in progress.
bool Proxy::end_longest_idle(std::chrono::milliseconds least, bool spares_requests) {
  const auto rank = [](const auto& entry) {
    return std::pair(entry.second->is_in_use(), entry.second->last());
  };
  const auto longest = std::min_element(relays_.begin(), relays_.end(),
                                        [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  if (longest == relays_.end() || (spares_requests && longest->second->is_in_use()) ||
      std::chrono::steady_clock::now() - longest->second->last() < least)
    return false;
  relays_.erase(longest);
  end_if_unused();
  return true;
}

void Proxy::end_idle() {
  while (end_longest_idle(limits_.idle, true)) {
  }
  loop_.after(std::min<std::chrono::milliseconds>(limits_.idle, kLookForIdle), [this] { end_idle(); });
}

void Proxy::relay(int port, Fd client) {
  const uint64_t number = next_number_++;
  relays_[number] = std::make_unique<Relay>(
      loop_, std::move(client), listeners_[port].traffic, [this, port] { return next_targets(port); },
      [this, number] {
        loop_.after(0ms, [this, number] {  // deferred, because this destroys the relay, which is the caller
          relays_.erase(number);
          end_if_unused();
        });
      });
}

/// All targets of the port, starting with the one that is next in turn.
std::vector<RouteTarget> Proxy::next_targets(int port) {
  const auto it = listeners_.find(port);
  if (it == listeners_.end() || it->second.route.targets.empty()) return {};
  std::vector<RouteTarget> targets = it->second.route.targets;
  std::rotate(targets.begin(), targets.begin() + static_cast<ptrdiff_t>(it->second.turn++ % targets.size()),
              targets.end());
  return targets;
}

void Proxy::end_if_unused() {
  loop_.defer([this] {
    if (listeners_.empty() && relays_.empty() && waiting_.empty()) loop_.stop();
  });
}

void Proxy::watch_folder() {
  if (::access(folder_.path.c_str(), F_OK) != 0) return loop_.stop();
  loop_.after(kLookAtFolder, [this] { watch_folder(); });
}

int run_proxy(const std::filesystem::path& state) {
  ::prctl(PR_SET_NAME, "kml-proxy");
  ::signal(SIGPIPE, SIG_IGN);
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
  }
  try {
    const PodFolder folder = proxy_folder(state);
    const Fd lock = lock_proxy(folder);
    if (!lock) return 0;
    EventLoop loop;
    loop.on_failure(log_error);
    const Proxy proxy(loop, folder);
    loop.run();
    return 0;
  } catch (const Error& error) {
    log_error(error);
    return 1;
  }
}

}  // namespace kml::local
