#pragma once

#include <string>
#include <string_view>

namespace kml::registry {

/// A URL in two parts: the server, "https://host:port", and the path with its query.
struct Place {
  std::string origin, path;

  std::string url() const { return origin + path; }
  bool is_encrypted() const { return origin.starts_with("https://"); }
};

/// The place to which a server's header Location, or the realm of its challenge, refers. A relative URL is
/// relative to `from`. Throws Error (reason kBadAnswer) unless the URL is an https URL, or both the URL and
/// `from` are http URLs. So a registry with TLS cannot make kml send data without TLS.
Place resolved(const Place& from, std::string_view location);

/// The reason of an Error about a response that no registry would send.
inline constexpr const char* kBadAnswer = "BadAnswer";

}  // namespace kml::registry
