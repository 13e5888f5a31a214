#include "pod/streams/web_address.h"

#include <algorithm>
#include <array>

#include "kml/base/text.h"

namespace kml::pod {

namespace {

constexpr size_t kLongestPath = 2048;

/// Whether the character can be part of a path or query (RFC 3986, 3.3 and 3.4).
bool is_of_path(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view("-._~!$&'()*+,;=:@/?%").find(c) != std::string_view::npos;
}

bool is_own_host(std::string_view host, std::string_view host_name) {
  constexpr std::array<std::string_view, 5> kOwn = {"localhost", "127.0.0.1", "0.0.0.0", "[::]", "[::1]"};
  return std::find(kOwn.begin(), kOwn.end(), host) != kOwn.end() || (!host_name.empty() && host == host_name);
}

/// The address at the beginning of the text after "://"; empty unless it has the pod's own host and a port.
std::optional<WebAddress> address_at(std::string_view rest, const std::string& scheme,
                                     std::string_view host_name) {
  const size_t host_end = rest.starts_with('[') ? rest.find(']') + 1 : rest.find_first_of(":/? \r\n");
  if (host_end == 0 || host_end >= rest.size() || rest[host_end] != ':') return {};
  if (!is_own_host(rest.substr(0, host_end), host_name)) return {};
  rest.remove_prefix(host_end + 1);
  const auto port_end =
      static_cast<size_t>(std::find_if_not(rest.begin(), rest.end(), is_digit) - rest.begin());
  const std::optional<int> port = port_end == 0 ? std::nullopt : whole_number(rest.substr(0, port_end));
  if (!port || *port == 0 || *port > 65535) return {};
  rest.remove_prefix(port_end);
  WebAddress address{scheme, *port};
  if (!rest.starts_with('/') && !rest.starts_with('?')) return address;
  const auto path_end = std::find_if_not(rest.begin(), rest.end(), is_of_path);
  address.path = std::string(rest.begin(), path_end).substr(0, kLongestPath);
  // Removes punctuation that follows the address in a sentence.
  while (address.path.ends_with('.') || address.path.ends_with(',') || address.path.ends_with(')'))
    address.path.pop_back();
  return address;
}

}  // namespace

std::string WebAddress::at(int local_port) const {
  return scheme + "://127.0.0.1:" + std::to_string(local_port) + (path.starts_with('/') ? path : "/" + path);
}

std::optional<WebAddress> find_web_address(std::string_view log, std::string_view host_name) {
  std::optional<WebAddress> found;
  for (size_t at = 0; (at = log.find("://", at)) != std::string_view::npos; at += 3) {
    const std::string_view before = log.substr(0, at);
    const char* scheme = before.ends_with("https") ? "https" : before.ends_with("http") ? "http" : nullptr;
    if (!scheme) continue;
    const auto address = address_at(log.substr(at + 3), scheme, host_name);
    if (!address) continue;
    const bool has_token = contains(address->path, "token=");
    if (!found || has_token || !contains(found->path, "token=")) found = address;
  }
  return found;
}

}  // namespace kml::pod
