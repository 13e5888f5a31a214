#include "net/registry/place.h"

#include <algorithm>

#include "kml/base/error.h"
#include "kml/base/text.h"

namespace kml::registry {

namespace {

constexpr size_t kLongestUrl = size_t{16} << 10;

bool has_odd_character(std::string_view url) {
  return std::ranges::any_of(url, [](unsigned char c) { return c <= ' ' || c >= 0x7f || c == '#'; });
}

Place absolute(std::string_view url) {
  const size_t host = url.find("://") + 3;
  const size_t end = std::min(url.find_first_of("/?", host), url.size());
  std::string path(url.substr(end));
  if (!path.starts_with('/')) path.insert(0, "/");
  return {std::string(url.substr(0, end)), std::move(path)};
}

}  // namespace

Place resolved(const Place& from, std::string_view location) {
  const auto refused = [&](const std::string& why) {
    Error error(ErrorCode::failure, "cannot follow " + from.origin, why);
    error.reason = kBadAnswer;
    return error;
  };
  if (location.empty()) throw refused("its response does not say where to send the next request");
  if (location.size() > kLongestUrl || has_odd_character(location))
    throw refused("its response gives an address that is not a URL");
  const std::string here = from.path.substr(0, from.path.find('?'));
  if (location.starts_with("//"))
    return absolute(from.origin.substr(0, from.origin.find("//")) + std::string(location));
  if (location.starts_with('/')) return {from.origin, std::string(location)};
  if (location.starts_with('?')) return {from.origin, here + std::string(location)};
  const std::string scheme = lower(location.substr(0, location.find("://")));
  if (scheme.size() == location.size())
    return {from.origin, here.substr(0, here.rfind('/') + 1) + std::string(location)};
  if (scheme != "https" && scheme != "http")
    throw refused("its response gives an address that is not a URL for https: " +
                  std::string(location.substr(0, 100)));
  Place place = absolute(scheme + std::string(location.substr(scheme.size())));
  if (contains(place.origin, "@")) throw refused("its response names a URL with a user name");
  if (from.is_encrypted() && !place.is_encrypted())
    throw refused("its response leads to a server without TLS: " + place.origin);
  return place;
}

}  // namespace kml::registry
