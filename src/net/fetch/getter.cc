#include "net/fetch/getter.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "kml/base/text.h"
#include "kml/net/http/advice.h"
#include "kml/net/http/loopback.h"

namespace kml::fetch {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kMostAttempts = 10, kMostRedirections = 8;
constexpr milliseconds kFirstPause{250};
constexpr seconds kLongestPause{60};
/// The longest pause that a server may ask for. Hugging Face counts requests over five minutes.
constexpr seconds kLongestWanted{300};

bool is_busy(int status) {
  return status == 429 || (status >= 500 && status != 501);
}

milliseconds usual_pause(int attempt) {
  return std::min<milliseconds>(kFirstPause * (1 << std::min(attempt - 1, 8)), kLongestPause);
}

milliseconds pause_wanted(const http::Response& response, int attempt) {
  const auto wanted = whole_number(response.header("retry-after"));
  return wanted ? std::min(seconds(*wanted), kLongestWanted) : usual_pause(attempt);
}

Error for_data(const Error& error) {
  return http::with_advice(
      error, {.certificate = "set SSL_CERT_FILE to the certificate of the server's certificate authority",
              .other = "check the host, and whether the pods may reach it"});
}

}  // namespace

bool is_redirection(int status) {
  constexpr int kStatuses[] = {301, 302, 303, 307, 308};
  return std::ranges::find(kStatuses, status) != std::end(kStatuses);
}

Place place_of_url(const std::string& url) {
  const size_t begin = url.find("://") + 3, end = std::min(url.find('/', begin), url.size());
  return {url.substr(0, end), end == url.size() ? "/" : url.substr(end)};
}

void Getter::use_token(const std::string& origin, const std::string& token) {
  if (!origin.starts_with("https://") && !http::is_loopback_url(origin))
    throw usage_error("HF_TOKEN would be sent without encryption", origin + " is not an https URL",
                      "set HF_ENDPOINT to an https URL, or unset HF_TOKEN");
  tokens_[origin] = token;
}

http::Transport& Getter::transport(const std::string& origin) {
  std::unique_ptr<http::Transport>& known = transports_[origin];
  if (!known) known = means_.make_transport({.url = origin, .disable_compression = true});
  return *known;
}

http::Request Getter::request_for(const Place& place, http::Headers headers) const {
  if (const auto token = tokens_.find(place.origin); token != tokens_.end())
    headers.emplace_back("Authorization", "Bearer " + token->second);
  return {.path = place.path, .headers = std::move(headers)};
}

void Getter::wait(milliseconds delay, const std::string& why) const {
  constexpr seconds kNoted{5};
  if (delay >= kNoted)
    means_.note(why + "; trying again in " + std::to_string(delay / seconds(1)) + " seconds");
  means_.pause(delay);
}

http::Response Getter::repeat(Place& place, const std::function<Attempt()>& attempt) {
  int redirections = 0;
  for (int count = 1;; ++count) {
    Attempt made = attempt();
    if (made.has_news) count = 1;  // a link that breaks often is no reason to give up
    const bool is_last = count >= kMostAttempts;
    if (made.fault) {
      const std::string& reason = made.fault->reason;
      if (is_last || (reason != http::kConnectionBroke && reason != http::kNoConnection))
        throw for_data(*made.fault);
      transports_.erase(place.origin);
      // A connection that broke once is replaced at once.
      wait(count == 1 ? milliseconds(0) : usual_pause(count), made.fault->message);
    } else if (is_redirection(made.response.status)) {
      if (++redirections > kMostRedirections)
        throw Error(ErrorCode::failure, place.origin + " redirects in a circle");
      place = registry::resolved(place, made.response.header("location"));
      --count;
    } else if (is_busy(made.response.status) && !is_last) {
      wait(pause_wanted(made.response, count),
           place.origin + " is busy (" + std::to_string(made.response.status) + ")");
    } else {
      return std::move(made.response);
    }
  }
}

http::Response Getter::get(Place& place) {
  return repeat(place, [&] {
    Attempt made;
    try {
      made.response = transport(place.origin).send(request_for(place, {}));
    } catch (const Error& error) {
      made.fault = error;
    }
    return made;
  });
}

http::Response Getter::read(Place& place, const Reading& reading) {
  return repeat(place, [&] { return read_once(place, reading); });
}

Getter::Attempt Getter::read_once(const Place& place, const Reading& reading) {
  Attempt made;
  bool has_ended = false;
  std::exception_ptr thrown;  // callbacks run inside of C code
  const auto guarded = [&](const std::function<void()>& call) {
    try {
      call();
    } catch (...) {
      thrown = std::current_exception();
    }
    return !thrown;
  };
  http::StreamHandler handler;
  handler.on_headers = [&](const http::Response& response) {
    if (response.status / 100 == 2) guarded([&] { reading.begin(response); });
  };
  handler.on_data = [&](std::string_view bytes) {
    return !thrown && guarded([&] { made.has_news = reading.take(bytes) || made.has_news; });
  };
  handler.on_end = [&](const http::Response& response, const Error* broken) {
    made.response = response;
    if (broken) made.fault = *broken;
    has_ended = true;
  };
  try {
    http::Transport& link = transport(place.origin);
    const auto stream = link.stream(request_for(place, reading.headers()), std::move(handler));
    while (!has_ended && !thrown) link.wait(seconds(60));
  } catch (const Error& error) {
    made.fault = error;
  }
  if (thrown) std::rethrow_exception(thrown);
  return made;
}

}  // namespace kml::fetch
