#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kml::pod {

/// The address of a web server, as the server has printed it. Only these parts are read from the log, because
/// a log cannot be trusted.
struct WebAddress {
  std::string scheme;  ///< "http" or "https"
  int port = 0;
  std::string path = {};  ///< including the query: "/lab?token=1a2b"

  /// "http://127.0.0.1:9000/lab?token=1a2b"
  std::string at(int local_port) const;
};

/// The last address in a log whose host is the pod itself: localhost, 127.0.0.1, 0.0.0.0, [::], [::1] or
/// `host_name`. Prefers an address with a token, as Jupyter prints.
std::optional<WebAddress> find_web_address(std::string_view log, std::string_view host_name);

}  // namespace kml::pod
