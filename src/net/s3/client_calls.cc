#include <algorithm>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>

#include "kml/base/error.h"
#include "kml/base/sha256.h"
#include "kml/base/text.h"
#include "kml/net/http/advice.h"
#include "kml/net/s3/client.h"
#include "net/s3/faults.h"
#include "net/s3/xml.h"

namespace kml::s3 {

namespace {

using std::chrono::milliseconds;

constexpr int kMostTries = 8, kMostTriesToConnect = 3;
/// A rate, in bytes per second, that every connection should exceed.
constexpr std::uintmax_t kSlowest = std::uintmax_t{64} << 10;

bool is_busy(const http::Response& response) {
  constexpr int kNotImplemented = 501;
  if (response.status == kNotImplemented) return false;
  const std::string code = response.status == 400 ? code_of(response) : "";
  return response.status == 429 || response.status >= 500 || code == "RequestTimeout";
}

/// The first pause is 0.2 s, and each later one is twice as long, plus or minus a random part of up to half
/// of the pause, so that many delayed requests are not repeated at the same moment.
milliseconds delay_before(int tries) {
  constexpr int kFirst = 200;
  const int delay = kFirst << std::min(tries - 1, kMostTries);
  const int random = std::stoi(random_hex(2), nullptr, 16) % 1000;
  return milliseconds(delay / 2 + delay * random / 1000);
}

/// The region in the response, if it is not `region`.
std::string other_region(const http::Response& response, const std::string& region) {
  if (response.status != 301 && response.status != 307 && response.status != 400) return {};
  const std::string header = response.header("x-amz-bucket-region");
  const std::string named = header.empty() ? xml_text(response.body, "Region") : header;
  return named == region ? std::string() : named;
}

Error for_s3(const Error& error) {
  return http::with_advice(
      error, {.certificate = "set AWS_CA_BUNDLE to the certificate of the server's certificate authority",
              .other = "check AWS_ENDPOINT_URL_S3, the region and your network"});
}

bool may_try_again(const Error& error, int tries) {
  return (error.reason == http::kConnectionBroke && tries + 1 < kMostTries) ||
         (error.reason == http::kNoConnection && tries + 1 < kMostTriesToConnect);
}

}  // namespace

http::Request Client::signed_request(Call& call) {
  const bool is_of_bucket = call.key.empty();
  std::string path = settings_.path();
  if (is_of_bucket && path.size() > 1) path.pop_back();
  if (!is_of_bucket) path += percent_encoded(full_key(call.key), true);
  http::Request request{.method = call.method, .path = path + (call.query.empty() ? "" : "?" + call.query)};
  request.headers = call.headers;
  if (call.method == "PUT" || call.method == "POST")
    // without this, libcurl would use a form's type
    request.headers.emplace_back("Content-Type", "application/octet-stream");
  const std::string payload = sha256_hex(call.body);
  request.timeout += std::chrono::seconds(call.body.size() / kSlowest);
  request.body = std::move(call.body);
  const std::string url = settings_.url();
  const std::string host = url.substr(url.find("://") + 3);
  sign(request, host.substr(0, host.find('/')), payload, credentials_.get(), {settings_.region},
       clock_.now());
  return request;
}

/// `region` is the region that the request was signed for.
bool Client::prepare_next_try(const http::Response& response, const std::string& region, int tries) {
  constexpr int kMostRedirections = 2;
  if (const std::string other = other_region(response, region); !other.empty() && tries < kMostRedirections) {
    settings_.region = other;
    return true;
  }
  return is_busy(response) && tries + 1 < kMostTries;
}

void Client::send(std::vector<Call> calls, const Take& take) {
  std::vector<size_t> open(calls.size());
  std::iota(open.begin(), open.end(), size_t{0});
  std::optional<int> renewed;  // the attempt after which the credentials were read again
  for (int tries = 0; !open.empty(); ++tries) {
    if (!transport_)
      transport_ = make_transport_(
          {.url = settings_.url(), .ca_pem = settings_.authorities, .disable_compression = true});
    const std::string region = settings_.region;
    std::vector<http::Request> requests;
    for (const size_t index : open) requests.push_back(signed_request(calls[index]));
    std::vector<size_t> again;
    transport_->send_all(requests, [&](size_t i, const http::Response* response, const Error* error) {
      if (error && !may_try_again(*error, tries)) throw for_s3(*error);
      if (response && response->status / 100 == 2 && response->is_web_page())
        throw for_s3(Error(ErrorCode::unreachable, "no answer from S3",
                           settings_.url() + " sends a web page: " + response->body.substr(0, 100)));
      const bool is_renewable = response && needs_new_key(*response) && renewed.value_or(tries) == tries;
      if (is_renewable && !std::exchange(renewed, tries)) credentials_.forget();
      if (error || is_renewable || prepare_next_try(*response, region, tries))
        again.push_back(i);
      else
        take(open[i], *response);
    });
    for (size_t& i : again) {
      calls[open[i]].body = std::move(requests[i].body);
      i = open[i];
    }
    open = std::move(again);
    if (region != settings_.region)
      transport_.reset();
    else if (!open.empty())
      pause_(delay_before(tries + 1));
  }
}

http::Response Client::send(Call call) {
  http::Response answer;
  std::vector<Call> calls;
  calls.push_back(std::move(call));
  send(std::move(calls), [&](size_t, const http::Response& response) { answer = response; });
  return answer;
}

Error Client::fault(const Call& call, const http::Response& response) {
  return fault_of(call, response, settings_, credentials_.get());
}

}  // namespace kml::s3
