#include "kml/net/s3/client.h"

#include <algorithm>

#include "kml/base/error.h"
#include "kml/base/memory.h"
#include "kml/base/signals.h"
#include "kml/base/text.h"
#include "net/s3/faults.h"
#include "net/s3/xml.h"

namespace kml::s3 {

namespace {

bool succeeded(const http::Response& response) {
  return response.status / 100 == 2;
}

/// Parses "Wed, 25 Nov 2026 07:50:10 GMT" (RFC 9110).
Time http_date(const std::string& text) {
  std::tm parts{};
  if (!::strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts)) return {};
  return time_after_epoch(std::chrono::seconds(::timegm(&parts)));
}

std::uintmax_t number_of(const std::string& text) {
  std::uintmax_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// Replaces each "%XX" by the byte for which it stands, and each "+" by a space.
std::string url_decoded(const std::string& text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    int byte = 0;
    const bool is_coded = text[i] == '%' && i + 2 < text.size() &&
                          std::from_chars(&text[i + 1], &text[i + 1] + 2, byte, 16).ptr == &text[i + 1] + 2;
    decoded += is_coded ? static_cast<char>(byte) : text[i] == '+' ? ' ' : text[i];
    if (is_coded) i += 2;
  }
  return decoded;
}

}  // namespace

Client::Client(Settings settings, CredentialSource credentials, MakeTransport make_transport, Pause pause,
               const Clock& clock)
    : settings_(std::move(settings)),
      credentials_(std::move(credentials)),
      make_transport_(std::move(make_transport)),
      pause_(std::move(pause)),
      clock_(clock) {}

std::string Client::full_key(const std::string& key) const {
  return settings_.bucket.prefix.empty() ? key : settings_.bucket.prefix + "/" + key;
}

std::vector<std::optional<Object>> Client::look(std::span<const std::string> keys) {
  std::vector<Call> calls;
  for (const std::string& key : keys) calls.push_back({.method = "HEAD", .key = key});
  std::vector<std::optional<Object>> found(keys.size());
  send(std::move(calls), [&](size_t i, const http::Response& response) {
    if (succeeded(response))
      found[i] = {keys[i], number_of(response.header("content-length")),
                  http_date(response.header("last-modified"))};
    else if (response.status != 404)
      throw fault({.method = "HEAD", .key = keys[i]}, response);
  });
  return found;
}

std::optional<Object> Client::look(const std::string& key) {
  return look(std::span(&key, 1))[0];
}

void Client::read(std::span<const std::string> keys,
                  const std::function<void(size_t, std::optional<std::string>)>& take) {
  std::vector<Call> calls;
  for (const std::string& key : keys) calls.push_back({.key = key});
  send(std::move(calls), [&](size_t i, const http::Response& response) {
    if (succeeded(response))
      take(i, response.body);
    else if (is_gone(response))
      take(i, std::nullopt);
    else
      throw fault({.key = keys[i]}, response);
  });
}

std::optional<std::string> Client::read(const std::string& key) {
  std::optional<std::string> found;
  read(std::span(&key, 1), [&](size_t, std::optional<std::string> content) { found = std::move(content); });
  return found;
}

void Client::write(std::vector<Content> objects) {
  std::vector<Call> calls;
  for (Content& object : objects)
    calls.push_back({.method = "PUT", .key = object.key, .body = std::move(object.bytes)});
  send(std::move(calls), [&](size_t i, const http::Response& response) {
    if (!succeeded(response)) throw fault({.method = "PUT", .key = objects[i].key}, response);
  });
}

/// A server that does not know the condition rejects the request (501) or ignores the condition. In the
/// second case, an existing object is replaced.
bool Client::write_new(const std::string& key, std::string bytes) {
  Call call{.method = "PUT", .key = key, .headers = {{"If-None-Match", "*"}}, .body = bytes};
  const http::Response response = send(call);
  if (succeeded(response)) return true;
  if (response.status == 412 || response.status == 409) return false;
  if (response.status != 501) throw fault(call, response);
  if (look(key)) return false;
  write({{key, std::move(bytes)}});
  return true;
}

void Client::remove(std::span<const std::string> keys) {
  std::vector<Call> calls;
  for (const std::string& key : keys) calls.push_back({.method = "DELETE", .key = key});
  send(std::move(calls), [&](size_t i, const http::Response& response) {
    if (!succeeded(response) && response.status != 404)
      throw fault({.method = "DELETE", .key = keys[i]}, response);
  });
}

/// https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html: 1,000 objects a page.
std::vector<Object> Client::list(const std::string& begin) {
  constexpr size_t kMostInPage = 10'000, kMostPages = 20'000;
  std::vector<Object> objects;
  const std::string prefix = full_key(""), listing = "the list of " + settings_.bucket.url();
  std::string next;
  size_t pages = 0;
  do {
    throw_if_interrupted();
    require_memory(listing, size_t{1} << 20);
    if (++pages > kMostPages)
      throw too_large(listing, "it has more than " + std::to_string(kMostPages) + " pages");
    Call call{.query = "encoding-type=url&list-type=2&prefix=" + percent_encoded(full_key(begin))};
    if (!next.empty()) call.query = "continuation-token=" + percent_encoded(next) + "&" + call.query;
    const http::Response response = send(call);
    if (!succeeded(response)) throw fault(call, response);
    // An incomplete page is an error, because garbage collection would treat the missing objects as unused.
    if (xml_elements(response.body, "ListBucketResult", 1).empty())
      throw Error(ErrorCode::unreachable, "cannot read " + listing,
                  "the answer is not a complete list of objects: " + response.body.substr(0, 100),
                  "check AWS_ENDPOINT_URL_S3, and the proxies on the way to it");
    // Some servers do not know encoding-type, and send keys unencoded (versitygw 1.8).
    const bool is_encoded = xml_text(response.body, "EncodingType") == "url";
    const std::vector<std::string_view> entries = xml_elements(response.body, "Contents", kMostInPage + 1);
    if (entries.size() > kMostInPage)
      throw too_large(listing, "a page has more than " + std::to_string(kMostInPage) + " objects");
    for (const std::string_view entry : entries) {
      const std::string text = xml_text(entry, "Key"), key = is_encoded ? url_decoded(text) : text;
      if (!key.starts_with(prefix))
        throw Error(ErrorCode::failure, "cannot read " + listing,
                    "it contains an object with another prefix: " + key);
      objects.push_back({key.substr(prefix.size()), number_of(xml_text(entry, "Size")),
                         parse_rfc3339(xml_text(entry, "LastModified")).value_or(Time{})});
    }
    const bool goes_on = xml_text(response.body, "IsTruncated") == "true";
    next = goes_on ? xml_text(response.body, "NextContinuationToken") : std::string();
    if (goes_on && next.empty())
      throw Error(ErrorCode::failure, "cannot read " + listing,
                  "the server does not say where the list continues");
  } while (!next.empty());
  std::sort(objects.begin(), objects.end(), [](const Object& a, const Object& b) { return a.key < b.key; });
  return objects;
}

/// S3 rejects copying an object onto itself unless something changes; replacing the metadata is such a
/// change. The server does not copy the content.
bool Client::touch(const Object& object) {
  const std::string source = "/" + settings_.bucket.name + "/" + full_key(object.key);
  Call call{.method = "PUT", .key = object.key};
  call.headers = {{"X-Amz-Copy-Source", percent_encoded(source, true)},
                  {"X-Amz-Metadata-Directive", "REPLACE"}};
  const http::Response response = send(call);
  if (!succeeded(response)) throw fault(call, response);
  if (!xml_elements(response.body, "Error", 1).empty()) throw fault(call, response);
  const auto modified = parse_rfc3339(xml_text(response.body, "LastModified"));
  return !modified || *modified > object.modified;  // versitygw leaves the time unchanged
}

}  // namespace kml::s3
