#include "net/registry/session.h"

#include <algorithm>

#include "kml/base/json.h"
#include "kml/base/text.h"
#include "kml/base/waiting.h"
#include "kml/net/http/advice.h"
#include "kml/net/http/loopback.h"

namespace kml::registry {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kMostAttempts = 6, kMostAttemptsToConnect = 3, kMostRedirections = 5;
constexpr std::string_view kDockerHub = "docker.io", kHubServer = "registry-1.docker.io";
/// A rate, in bytes per second, that every connection should exceed.
constexpr size_t kSlowest = size_t{64} << 10;
constexpr seconds kLongestPause{60};
constexpr const char* kAsking = "asking the registry";

bool is_redirection(const http::Response& response) {
  constexpr int kKinds[] = {301, 302, 303, 307, 308};
  return std::ranges::find(kKinds, response.status) != std::end(kKinds);
}

bool is_busy(const http::Response& response) {
  constexpr int kNotImplemented = 501;
  return response.status == 429 || (response.status >= 500 && response.status != kNotImplemented);
}

bool may_try_again(const Error& error, bool may_repeat, int attempt) {
  if (error.reason == http::kConnectionBroke) return may_repeat && attempt < kMostAttempts;
  return error.reason == http::kNoConnection && attempt < kMostAttemptsToConnect;
}

Error for_registry(Error error, const std::string& host, const Waiting& waiting) {
  error.why += (error.why.empty() ? "" : "; ") + waiting.tried();
  return http::with_advice(
      std::move(error),
      {.certificate = "set SSL_CERT_FILE to the certificate of the registry's certificate authority",
       .other = "check the host " + host + " in the name of the image, and your network"});
}

}  // namespace

Session::Session(std::string host, std::vector<std::string> scopes, const Settings& settings)
    : host_(std::move(host)), scopes_(std::move(scopes)), settings_(settings) {}

http::Transport& Session::transport(const std::string& origin) {
  std::unique_ptr<http::Transport>& known = transports_[origin];
  if (!known) known = settings_.make_transport({.url = origin, .disable_compression = true});
  return *known;
}

http::Response Session::begin_with(const std::string& scheme) {
  origin_ = scheme + (host_ == kDockerHub ? std::string(kHubServer) : host_);
  return transport(origin_).send({.path = "/v2/", .timeout = seconds(20)});
}

/// Finds out the scheme, and how the registry wants credentials. A registry that may be used without TLS is
/// nevertheless asked with TLS first.
void Session::begin() {
  if (!origin_.empty()) return;
  const Waiting waiting(kAsking, host_);
  http::Response response;
  const bool may_be_plain = settings_.is_insecure || http::is_loopback_url("http://" + host_);
  try {
    try {
      response = begin_with("https://");
    } catch (const Error& error) {
      if (!may_be_plain || error.reason == http::kCertificateRejected) throw;
      response = begin_with("http://");
    }
  } catch (const Error& error) {
    origin_.clear();
    throw for_registry(error, host_, waiting);
  }
  if (response.status == 401 && !authorize(response))
    throw bad_answer(host_, "it asks for credentials by a method that kml does not support");
  if (response.status != 401 && (response.status != 200 || response.is_web_page()))
    throw fault_of(response, host_, "use the registry " + host_);
}

Place Session::at(const std::string& path) {
  begin();
  return {origin_, "/v2" + path};
}

Credentials Session::credentials() const {
  return settings_.credentials ? settings_.credentials(host_) : Credentials{};
}

/// Prepares the header that a response with status 401 demands. Returns false if kml cannot.
bool Session::authorize(const http::Response& response) {
  challenge_ = challenge_of(response);
  if (challenge_.scheme == Challenge::Scheme::none) return false;
  const Credentials known = credentials();
  if (!known.access_token.empty()) {
    authorization_ = "Bearer " + known.access_token;
  } else if (challenge_.scheme == Challenge::Scheme::bearer) {
    get_token();
  } else {
    if (known.user.empty())
      throw Error(ErrorCode::auth, host_ + " needs a user and a password", "you are not logged in",
                  "docker login " + host_);
    authorization_ = "Basic " + base64_encoded(known.user + ":" + known.password);
  }
  return true;
}

http::Response Session::request_token(const Place& place) {
  const Credentials known = credentials();
  std::string query = "service=" + percent_encoded(challenge_.service);
  http::Request request{.timeout = seconds(30)};
  if (!known.identity_token.empty()) {
    // https://distribution.github.io/distribution/spec/auth/oauth/
    request.method = "POST";
    request.path = place.path;
    request.headers.emplace_back("Content-Type", "application/x-www-form-urlencoded");
    request.body =
        "grant_type=refresh_token&client_id=kml&refresh_token=" + percent_encoded(known.identity_token) +
        "&" + query + "&scope=" + percent_encoded(join(scopes_, " "));
  } else {
    for (const std::string& scope : scopes_) query += "&scope=" + percent_encoded(scope);
    request.path = place.path + (contains(place.path, "?") ? "&" : "?") + query;
    if (!known.user.empty())
      request.headers.emplace_back("Authorization",
                                   "Basic " + base64_encoded(known.user + ":" + known.password));
  }
  return transport(place.origin).send(request);
}

void Session::get_token() {
  const Place place = resolved({origin_, "/v2/"}, challenge_.realm);
  const Waiting waiting(kAsking, host_);
  http::Response response;
  for (int attempt = 1;; ++attempt) try {
      response = request_token(place);
      if (!is_busy(response) || attempt == kMostAttemptsToConnect) break;
      pause_before(attempt, &response);
    } catch (const Error& error) {
      if (!may_try_again(error, true, attempt)) throw for_registry(error, host_, waiting);
      pause_before(attempt);
    }
  if (response.status != 200) {
    Error error = fault_of(response, host_, "get a token for " + host_);
    if (response.status == 400) error.code = ErrorCode::auth;
    throw error;
  }
  const Json body = Json::parse(response.body, nullptr, /*allow_exceptions=*/false);
  const std::string token = string_at(body, {"token"}, string_at(body, {"access_token"}));
  if (token.empty()) throw bad_answer(host_, place.origin + " sends no token");
  authorization_ = "Bearer " + token;
  // A minute is the documented default. A tenth of the time is left for the request itself.
  const long long lifetime = std::clamp<long long>(int_at(body, {"expires_in"}, 60), 1, 86'400);
  renewed_after_ = std::chrono::steady_clock::now() + milliseconds(lifetime * 900);
}

http::Request Session::request_of(const Call& call) {
  http::Request request{.method = call.method, .path = call.place.path, .headers = call.headers};
  request.body = call.body;
  request.timeout += seconds(call.body.size() / kSlowest);
  if (call.place.origin == origin_ && !authorization_.empty())
    request.headers.emplace_back("Authorization", authorization_);
  return request;
}

void Session::pause_before(int attempt, const http::Response* response) const {
  milliseconds delay = milliseconds(200 << std::min(attempt, kMostAttempts));
  if (const auto wanted = whole_number(response ? response->header("retry-after") : "");
      wanted && *wanted > 0)
    delay = std::min<milliseconds>(seconds(*wanted), kLongestPause);
  if (settings_.pause) settings_.pause(delay);
}

http::Response Session::send(Call& call) {
  begin();
  // the progress of large content is shown by those who send or read it
  const bool is_large = !call.body.empty() || (call.method == "GET" && contains(call.place.path, "/blobs/"));
  const Waiting waiting(is_large ? "" : kAsking, host_);
  bool has_new_token = false;
  int redirections = 0;
  for (int attempt = 1;;) {
    if (call.place.origin == origin_ && std::chrono::steady_clock::now() > renewed_after_) get_token();
    http::Response response;
    try {
      response = transport(call.place.origin).send(request_of(call));
    } catch (const Error& error) {
      if (!may_try_again(error, call.may_repeat, attempt)) throw for_registry(error, host_, waiting);
      pause_before(attempt++);
      continue;
    }
    const bool is_own = call.place.origin == origin_;
    if (response.status == 401 && is_own && !has_new_token && authorize(response)) {
      has_new_token = true;
    } else if (is_redirection(response) && (call.method == "GET" || call.method == "HEAD")) {
      if (++redirections > kMostRedirections) throw bad_answer(host_, "it redirects in a circle");
      call.place = resolved(call.place, response.header("location"));
    } else if (is_busy(response) && call.may_repeat && attempt < kMostAttempts) {
      pause_before(attempt++, &response);
    } else {
      return response;
    }
  }
}

std::vector<http::Response> Session::send_all(std::vector<Call>& calls) {
  begin();
  std::vector<http::Response> responses(calls.size());
  std::map<std::string, std::vector<size_t>> by_origin;
  for (size_t i = 0; i < calls.size(); ++i) by_origin[calls[i].place.origin].push_back(i);
  for (const auto& group : by_origin) {
    const std::vector<size_t>& indexes = group.second;
    std::vector<http::Request> requests;
    for (const size_t i : indexes) requests.push_back(request_of(calls[i]));
    transport(group.first).send_all(requests, [&](size_t i, const http::Response* response, const Error*) {
      if (response) responses[indexes[i]] = *response;
    });
  }
  for (size_t i = 0; i < calls.size(); ++i) {
    const http::Response& first = responses[i];
    if (first.status == 0 || first.status == 401 || is_redirection(first) || is_busy(first))
      responses[i] = send(calls[i]);
  }
  return responses;
}

}  // namespace kml::registry
