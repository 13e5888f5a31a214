#include "net/http/route.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>

#include "kml/base/files.h"
#include "kml/base/text.h"
#include "kml/net/http/loopback.h"

namespace kml::http {

namespace {

/// An IP address. An IPv4 address is stored as an IPv4-mapped IPv6 address, so that both kinds are compared
/// in the same way.
using Address = std::array<unsigned char, 16>;
constexpr int kIpv4Prefix = 96;

std::optional<Address> parse_address(const std::string& text) {
  Address address{};
  if (::inet_pton(AF_INET6, text.c_str(), address.data()) == 1) return address;
  address[10] = address[11] = 0xff;
  if (::inet_pton(AF_INET, text.c_str(), address.data() + kIpv4Prefix / 8) == 1) return address;
  return {};
}

bool is_ipv4(const std::string& text) {
  return text.find(':') == std::string::npos;
}

bool same_prefix(const Address& a, const Address& b, int bits) {
  for (int bit = 0; bit < bits; ++bit)
    if ((a[bit / 8] ^ b[bit / 8]) & (0x80 >> bit % 8)) return false;
  return true;
}

/// Whether a range such as "10.0.0.0/8" contains the address; empty if the text is not a range.
std::optional<bool> range_holds(const std::string& range, const std::optional<Address>& address) {
  const size_t slash = range.find('/');
  if (slash == std::string::npos) return {};
  const std::string base = range.substr(0, slash), length = range.substr(slash + 1);
  const auto network = parse_address(base);
  const int prefix = is_ipv4(base) ? kIpv4Prefix : 0;
  int bits = -1;
  const auto [end, fault] = std::from_chars(length.data(), length.data() + length.size(), bits);
  if (!network || fault != std::errc() || end != length.data() + length.size()) return {};
  if (bits < 0 || bits > 128 - prefix) return {};
  return address && same_prefix(*network, *address, prefix + bits);
}

/// Removes ":port" from "host:port" or "[address]:port", and returns the port; empty if there is none.
std::string take_port(std::string& host) {
  const size_t colon = host.rfind(':');
  const bool has_port =
      colon != std::string::npos &&
      (host.starts_with('[') ? colon > 0 && host[colon - 1] == ']' : host.find(':') == colon);
  std::string port;
  if (has_port) {
    port = host.substr(colon + 1);
    host.erase(colon);
  }
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return port;
}

bool names_host(std::string entry, const std::string& host, const std::optional<Address>& address,
                const std::string& port) {
  if (entry == "*") return true;
  if (const auto held = range_holds(entry, address)) return *held;
  const std::string only = take_port(entry);
  if (entry.empty() || (!only.empty() && only != port)) return false;
  if (const auto named = parse_address(entry)) return named == address;
  if (entry.starts_with("*.")) entry.erase(0, 1);
  if (entry.starts_with('.')) return host.ends_with(entry);
  return host == entry || host.ends_with("." + entry);
}

/// The proxy's URL from the environment; it may lack a scheme.
std::string environment_proxy(bool tls) {
  std::string url = environment(tls ? "HTTPS_PROXY" : "HTTP_PROXY");
  if (url.empty()) url = environment(tls ? "https_proxy" : "http_proxy");
  return url.empty() || url.find("://") != std::string::npos ? url : "http://" + url;
}

/// Like Go, lets a SOCKS proxy resolve the name, because only the proxy may be able to reach the cluster's
/// DNS.
std::string for_curl(const std::string& url) {
  for (const char* scheme : {"http://", "https://", "socks5h://"})
    if (url.starts_with(scheme)) return url;
  if (url.starts_with("socks5://")) return "socks5h" + url.substr(url.find(':'));
  throw usage_error("the proxy's URL is invalid", "it must start with http://, https:// or socks5://",
                    "correct proxy-url of this cluster in the kubeconfig, HTTPS_PROXY or HTTP_PROXY");
}

}  // namespace

bool is_loopback(const std::string& host) {
  if (lower(host) == "localhost") return true;
  const auto address = parse_address(host);
  return address && (same_prefix(*address, *parse_address("127.0.0.0"), kIpv4Prefix + 8) ||
                     *address == *parse_address("::1"));
}

bool is_exempt(const std::string& no_proxy, const std::string& host, const std::string& port) {
  const auto address = parse_address(host);
  for (const std::string& entry : split(no_proxy, ','))
    if (names_host(lower(trim(entry)), lower(host), address, port)) return true;
  return false;
}

Headers headers_of(const Route& route, const Request& request) {
  Headers headers = route.endpoint.headers;
  headers.insert(headers.end(), request.headers.begin(), request.headers.end());
  if ((route.tls || !route.socket.empty()) && route.endpoint.authorization)
    if (std::string credential = route.endpoint.authorization(); !credential.empty())
      headers.emplace_back("Authorization", std::move(credential));
  return headers;
}

std::string proxy_of(const Route& route) {
  if (!route.endpoint.proxy_url.empty()) return for_curl(route.endpoint.proxy_url);
  const std::string url = environment_proxy(route.tls);
  if (url.empty() || is_loopback(route.host)) return {};
  std::string exempt = environment("NO_PROXY");
  if (exempt.empty()) exempt = environment("no_proxy");
  return is_exempt(exempt, route.host, route.port) ? std::string() : for_curl(url);
}

namespace {

Error bad_url(std::string what, std::string why) {
  return usage_error(
      std::move(what), std::move(why),
      "give it as https://HOST:PORT/PATH; a kubeconfig has a cluster's URL in the field server");
}

bool is_port(std::string_view text) {
  return !text.empty() && text.size() <= 5 &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); }) &&
         std::stoi(std::string(text)) <= 65535;
}

bool is_host(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '.' || c == '-' || c == '_' || c == ':' || c == '%';
  });
}

/// Splits "host", "host:port" or "[address]:port" into the route's fields.
void take_authority(std::string_view authority, Route& route) {
  size_t end = authority.find(':');
  if (authority.starts_with('[')) {
    end = authority.find(']');
    if (end == std::string_view::npos) throw bad_url("the server's URL has no closing bracket", "");
    route.host = authority.substr(1, end - 1);
    authority.remove_prefix(end + 1);
  } else {
    route.host = authority.substr(0, end);
    authority.remove_prefix(std::min(end, authority.size()));
  }
  if (authority.starts_with(':')) route.port = authority.substr(1);
  if (!is_host(route.host) || !is_port(route.port))
    throw bad_url("the server's URL is invalid", "it has no host, or its port is not a number up to 65535");
}

}  // namespace

std::string Route::host_and_port() const {
  return (host.find(':') == std::string::npos ? host : "[" + host + "]") + ":" + port;
}

bool is_loopback_url(const std::string& url) {
  return is_loopback(make_route({.url = url}).host);
}

Route make_route(Endpoint endpoint) {
  Route route;
  std::string_view rest = endpoint.url;
  if (rest.starts_with("unix:/")) {
    route.socket = rest.substr(5);
    route.server = rest;
    route.endpoint = std::move(endpoint);
    return route;
  }
  const std::string scheme = lower(rest.substr(0, rest.find("//")));
  route.tls = scheme == "https:";
  if (!route.tls && scheme != "http:")
    throw bad_url("the server's URL must start with https:// or http://", "");
  route.port = route.tls ? "443" : "80";
  rest.remove_prefix(rest.find("//") + 2);
  const size_t slash = std::min(rest.find('/'), rest.size());
  const std::string_view authority = rest.substr(0, slash);
  if (authority.find('@') != std::string_view::npos)
    throw bad_url("the server's URL contains a user name",
                  "a URL is shown and logged; a kubeconfig has credentials in its users");
  take_authority(authority, route);
  route.path = rest.substr(slash);
  while (route.path.ends_with('/')) route.path.pop_back();
  if (route.path.find_first_of("?# \r\n\t") != std::string::npos)
    throw bad_url("the path of the server's URL is invalid",
                  "it contains a query, a fragment or white space");
  if (!endpoint.tls_server_name.empty() && !is_host(endpoint.tls_server_name))
    throw usage_error("tls-server-name is not a host name");
  route.server = (route.tls ? "https://" : "http://") + route.host_and_port();
  route.endpoint = std::move(endpoint);
  route.proxy = proxy_of(route);
  return route;
}

}  // namespace kml::http
