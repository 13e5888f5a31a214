#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "kml/net/http/transport.h"

namespace kml::fetch {

/// The text at an http or https URL, which may contain a user name and a password. Follows redirections, but
/// only the URL's own server receives the password. Throws Error, without the password, if there is no such
/// text, or if it has more bytes than `limit`.
std::string text_at(const std::string& url, size_t limit,
                    const std::function<std::unique_ptr<http::Transport>(http::Endpoint)>& make_transport =
                        http::make_curl_transport);

/// The URL to which a reference in the text at `base` leads: "other.txt", "/lists/other.txt" or another URL.
std::string url_from(const std::string& base, const std::string& reference);

/// The URL for messages.
std::string without_password(const std::string& url);

}  // namespace kml::fetch
