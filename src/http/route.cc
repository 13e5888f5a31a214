#include "http/route.h"

#include <algorithm>
#include <cctype>

#include "http/proxy.h"
#include "kml/core/text.h"

namespace kml::http {

namespace {

Error bad_url(std::string what, std::string why) {
  return usage_error(std::move(what), std::move(why),
                     "give it as https://HOST:PORT in the kubeconfig's cluster entry");
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

/// Cuts "host", "host:port" or "[address]:port" into the route.
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
    throw bad_url("the server's URL is wrong", "it has no host, or its port is no number up to 65535");
}

}  // namespace

std::string Route::host_and_port() const {
  return (host.find(':') == std::string::npos ? host : "[" + host + "]") + ":" + port;
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
  route.tls = rest.starts_with("https://");
  if (!route.tls && !rest.starts_with("http://"))
    throw bad_url("the server's URL starts neither with https:// nor with http://", "");
  route.port = route.tls ? "443" : "80";
  rest.remove_prefix(rest.find("//") + 2);
  const size_t slash = std::min(rest.find('/'), rest.size());
  const std::string_view authority = rest.substr(0, slash);
  if (authority.find('@') != std::string_view::npos)
    throw bad_url("the server's URL holds a user name", "credentials belong in the user entry");
  take_authority(authority, route);
  route.path = rest.substr(slash);
  while (route.path.ends_with('/')) route.path.pop_back();
  if (route.path.find_first_of("?# \r\n\t") != std::string::npos)
    throw bad_url("the path of the server's URL is wrong", "it holds a query, a fragment or white space");
  if (!endpoint.tls_server_name.empty() && !is_host(endpoint.tls_server_name))
    throw usage_error("tls-server-name is no host name");
  route.server = (route.tls ? "https://" : "http://") + route.host_and_port();
  route.endpoint = std::move(endpoint);
  route.proxy = proxy_of(route);
  return route;
}

}  // namespace kml::http
