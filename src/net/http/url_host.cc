#include "kml/net/http/url_host.h"

namespace kml::http {

std::string host_with_port(const std::string& url) {
  const size_t scheme = url.find("://"), begin = scheme == std::string::npos ? 0 : scheme + 3;
  const std::string authority = url.substr(begin, url.find_first_of("/?#", begin) - begin);
  return authority.substr(authority.rfind('@') + 1);
}

std::string host_of(const std::string& url) {
  const std::string host = host_with_port(url);
  const size_t bracket = host.starts_with('[') ? host.find(']') : 0;  // an IPv6 address has colons
  return bracket == std::string::npos ? host : host.substr(0, host.find(':', bracket));
}

}  // namespace kml::http
