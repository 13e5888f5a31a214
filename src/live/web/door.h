#pragma once

#include <optional>
#include <string>

#include "kml/local/http_message.h"

namespace kml::live {

/// Decides which requests are answered. Other users of this machine can connect, and any page in the user's
/// browser can send requests. So each request must name this server's own address, and, except the one with
/// the token, must not come from another page. One browser gets in with the token, which works once; from
/// then on, that browser sends a cookie. Because browsers send cookies to all ports of a machine, each
/// request for data must also have a key, which only the page of this port can read.
class Door {
 public:
  explicit Door(int port);

  /// The path with the token, for the address that the user opens.
  std::string entry() const { return "/enter?token=" + token_; }
  /// The response to a request that is rejected; empty if it may pass.
  std::optional<local::HttpResponse> refuse(const local::HttpRequest& request) const;
  /// The response to the request for entry().
  local::HttpResponse enter(const local::HttpRequest& request);

 private:
  bool is_own_address(const std::string& host) const;
  bool has_cookie(const local::HttpRequest& request) const;

  int port_;
  std::string token_, cookie_, key_;
  bool is_used_ = false;  ///< whether a browser has used the token
};

/// A response in plain text.
local::HttpResponse text_response(int status, const std::string& text);
/// A page, with the headers that all pages have: nothing is loaded from elsewhere, no script in the page
/// itself runs, and no other page may show it in a frame.
local::HttpResponse page_response(const std::string& html);
/// Adds the headers that all responses have.
void protect(local::HttpResponse& response);

}  // namespace kml::live
