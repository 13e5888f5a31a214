#include "step_s3/proxy.h"

#include <string_view>

#include "kml/base/error.h"
#include "kml/base/text.h"
#include "net/http/route.h"
#include "step_s3/tls.h"

namespace kml::step_s3 {

Proxy parse_proxy(const std::string& url) {
  constexpr std::string_view kScheme = "http://";
  if (!url.starts_with(kScheme))
    throw usage_error(
        "unsupported proxy " + url.substr(0, url.find("://")), "pods use only http:// proxies for a bucket",
        "set HTTPS_PROXY to an http:// URL in the step's env, or add the bucket's host to NO_PROXY");
  std::string authority = url.substr(kScheme.size(), url.find('/', kScheme.size()) - kScheme.size());
  Proxy proxy;
  if (const size_t at = authority.rfind('@'); at != std::string::npos) {
    proxy.authorization = "Basic " + base64_encoded(percent_decoded(authority.substr(0, at)));
    authority.erase(0, at + 1);
  }
  const http::Route route = http::make_route({.url = std::string(kScheme) + authority});
  proxy.host = route.host;
  proxy.port = route.port;
  return proxy;
}

void open_tunnel(Wire& wire, const Proxy& proxy, const std::string& server) {
  constexpr size_t kLongest = size_t{64} << 10;
  std::string head = "CONNECT " + server + " HTTP/1.1\r\nHost: " + server + "\r\n";
  if (!proxy.authorization.empty()) head += "Proxy-Authorization: " + proxy.authorization + "\r\n";
  wire.write(head + "\r\n");
  std::string answer;  // the server waits for the client to send first, so nothing comes after the response
  while (answer.find("\r\n\r\n") == std::string::npos) {
    char piece[1024];
    const size_t got = wire.read(piece, sizeof piece);
    if (got == 0 || answer.size() > kLongest)
      throw no_connection(server, "the proxy " + proxy.host + " closed the connection");
    answer.append(piece, got);
  }
  const std::string status = answer.substr(0, answer.find("\r\n"));
  if (!status.starts_with("HTTP/1.") || status.find(" 2") != status.find(' '))
    throw no_connection(server, "the proxy " + proxy.host + " answered: " + status);
}

}  // namespace kml::step_s3
