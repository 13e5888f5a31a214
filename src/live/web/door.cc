#include "live/web/door.h"

#include "kml/base/text.h"

namespace kml::live {

using local::HttpRequest;
using local::HttpResponse;

namespace {

constexpr size_t kSecretBytes = 32;
constexpr std::string_view kEnter = "/enter", kData = "/data/";

/// Compares in a time that does not reveal where the texts differ.
bool is_same_secret(std::string_view given, std::string_view secret) {
  if (given.size() != secret.size()) return false;
  unsigned differing = 0;
  for (size_t i = 0; i < secret.size(); ++i)
    differing |= static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(secret[i]);
  return differing == 0;
}

std::string cookie_name(int port) {
  return "kml-ui-" + std::to_string(port);
}

/// The value of a cookie in the header Cookie; empty if it is not there.
std::string cookie_in(std::string_view header, const std::string& name) {
  for (const std::string& part : split(header, ';')) {
    const std::string_view cookie = trim(part);
    if (cookie.starts_with(name + "=")) return std::string(cookie.substr(name.size() + 1));
  }
  return {};
}

/// Stores the key and opens the page. A redirect would not be enough: after a click on a link in another
/// page, the browser would follow it without the cookie.
std::string entry_page(const std::string& key) {
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>kml ui</title>\n"
         "<meta name=\"kml-key\" content=\"" +
         key +
         "\">\n</head>\n<body>\n<p>Opening kml ui…</p>\n<script "
         "src=\"/enter.js\"></script>\n</body>\n</html>\n";
}

}  // namespace

HttpResponse text_response(int status, const std::string& text) {
  HttpResponse response{.status = status, .content_type = "text/plain; charset=utf-8", .body = text + "\n"};
  protect(response);
  return response;
}

HttpResponse page_response(const std::string& html) {
  HttpResponse response{.content_type = "text/html; charset=utf-8", .body = html};
  protect(response);
  return response;
}

void protect(HttpResponse& response) {
  response.headers.insert(
      response.headers.end(),
      {{"Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"},
       {"Cache-Control", "no-store"},
       {"Cross-Origin-Opener-Policy", "same-origin"},
       {"Cross-Origin-Resource-Policy", "same-origin"},
       {"Referrer-Policy", "no-referrer"},
       {"X-Content-Type-Options", "nosniff"},
       {"X-Frame-Options", "DENY"}});
}

Door::Door(int port)
    : port_(port),
      token_(random_hex(kSecretBytes)),
      cookie_(random_hex(kSecretBytes)),
      key_(random_hex(kSecretBytes)) {}

bool Door::is_own_address(const std::string& host) const {
  const std::string port = ":" + std::to_string(port_);
  return host == "127.0.0.1" + port || host == "localhost" + port;
}

bool Door::has_cookie(const HttpRequest& request) const {
  return is_same_secret(cookie_in(request.browser.cookie, cookie_name(port_)), cookie_);
}

std::optional<HttpResponse> Door::refuse(const HttpRequest& request) const {
  const local::BrowserHeaders& browser = request.browser;
  if (!is_own_address(browser.host)) return text_response(403, "kml ui: wrong Host");
  const bool is_post = request.method == "POST";
  if (request.method != "GET" && !is_post) return text_response(405, "kml ui: wrong method");
  const bool has_origin = !browser.origin.empty();
  if ((is_post && !has_origin) || (has_origin && browser.origin != "http://" + browser.host))
    return text_response(403, "kml ui: wrong Origin");
  // The user may open the link from another page, such as a terminal in the browser: the link's token is the
  // proof.
  if (request.path == kEnter) return {};
  if (!browser.site.empty() && browser.site != "same-origin" && browser.site != "none")
    return text_response(403, "kml ui: a request from another page");
  if (!has_cookie(request))
    return text_response(403, "kml ui: open the address that `kml ui --web` has printed");
  const bool is_data = is_post || request.path.starts_with(kData);
  if (is_data && !is_same_secret(browser.page_key, key_))
    return text_response(403, "kml ui: the page's key is missing");
  return {};
}

HttpResponse Door::enter(const HttpRequest& request) {
  const bool is_token = is_same_secret(request.parameter("token"), token_);
  // A browser that has the cookie may open the address again, because it already has the key.
  if (is_token && is_used_ && has_cookie(request)) return page_response(entry_page(""));
  if (!is_token || is_used_)
    return text_response(
        403, is_token
                 ? "kml ui: this address was opened before, and works only once. If you did not open it, "
                   "stop `kml ui`. Otherwise, start it again for a new address."
                 : "kml ui: wrong token");
  is_used_ = true;
  HttpResponse response = page_response(entry_page(key_));
  response.headers.emplace_back("Set-Cookie",
                                cookie_name(port_) + "=" + cookie_ + "; HttpOnly; SameSite=Strict; Path=/");
  return response;
}

}  // namespace kml::live
