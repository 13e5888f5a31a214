#include "kml/net/fetch/text_at.h"

#include <fmt/format.h>

#include <algorithm>

#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/net/http/advice.h"
#include "net/fetch/getter.h"

namespace kml::fetch {

namespace {

/// A URL without fragment, and with the user name and the password apart.
struct TextPlace {
  Place place;
  std::string user;  ///< "USER:PASSWORD", percent-encoded; may be empty
};

TextPlace text_place(const std::string& url) {
  TextPlace text{place_of_url(url.substr(0, url.find('#'))), {}};
  std::string& origin = text.place.origin;
  const size_t begin = origin.find("://") + 3, at = origin.rfind('@');
  if (at == std::string::npos) return text;
  text.user = origin.substr(begin, at - begin);
  origin.erase(begin, at + 1 - begin);
  return text;
}

http::Headers login(const std::string& user) {
  if (user.empty()) return {};
  const std::string plain = percent_decoded(user);
  return {{"Authorization", "Basic " + base64_encoded(contains(plain, ":") ? plain : plain + ":")}};
}

Error no_text(const std::string& url, std::string why) {
  return {ErrorCode::failure, "cannot read " + without_password(url), std::move(why),
          "download the file, and name your copy"};
}

}  // namespace

std::string text_at(const std::string& url, size_t limit,
                    const std::function<std::unique_ptr<http::Transport>(http::Endpoint)>& make_transport) {
  constexpr int kMostSteps = 8;
  const TextPlace first = text_place(url);
  Place place = first.place;
  for (int step = 0; step < kMostSteps; ++step) {
    http::Response response;
    try {
      response =
          make_transport({.url = place.origin})
              ->send({.path = place.path,
                      .headers = place.origin == first.place.origin ? login(first.user) : http::Headers()});
    } catch (const Error& error) {
      throw no_text(url, error.message + (error.why.empty() ? "" : ": " + error.why));
    }
    if (is_redirection(response.status)) {
      place = registry::resolved(place, response.header("location"));
      continue;
    }
    if (response.status != 200)
      throw no_text(url, fmt::format("{} responds with status {}", place.origin, response.status));
    if (response.body.size() > limit) throw no_text(url, "it is larger than " + size_text(limit));
    return std::move(response.body);
  }
  throw no_text(url, place.origin + " redirects in a circle");
}

std::string url_from(const std::string& base, const std::string& reference) {
  const TextPlace from = text_place(base);
  const Place place = registry::resolved(from.place, reference.substr(0, reference.find('#')));
  if (place.origin != from.place.origin || from.user.empty()) return place.url();
  const size_t host = place.origin.find("://") + 3;
  return place.origin.substr(0, host) + from.user + "@" + place.origin.substr(host) + place.path;
}

std::string without_password(const std::string& url) {
  return text_place(url).place.url();
}

}  // namespace kml::fetch
