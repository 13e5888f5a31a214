#include "kml/net/s3/signature.h"

#include <algorithm>
#include <vector>

#include "kml/base/sha256.h"
#include "kml/base/text.h"

namespace kml::s3 {

namespace {

std::string digest_bytes(const Sha256& sum) {
  const std::string hex = sum.hex();
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

/// HMAC-SHA-256 (RFC 2104).
Sha256 keyed_sum(std::string key, std::string_view text) {
  constexpr size_t kBlock = 64;
  constexpr char kInner = 0x36, kOuter = 0x5c;
  Sha256 inner, outer;
  if (key.size() > kBlock) {
    inner.add(key);
    key = digest_bytes(std::exchange(inner, {}));
  }
  key.resize(kBlock);
  for (char& c : key) c ^= kInner;
  inner.add(key);
  inner.add(text);
  for (char& c : key) c ^= kInner ^ kOuter;
  outer.add(key);
  outer.add(digest_bytes(inner));
  return outer;
}

std::string hmac(const std::string& key, std::string_view text) {
  return digest_bytes(keyed_sum(key, text));
}

/// The parameters, sorted by name, then by value. If a parameter has no "=", its value is empty.
std::string canonical_query(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> parts;
  for (const std::string& part : split(query, '&')) {
    if (part.empty()) continue;
    const size_t equals = std::min(part.find('='), part.size());
    parts.emplace_back(part.substr(0, equals), part.substr(std::min(equals + 1, part.size())));
  }
  std::sort(parts.begin(), parts.end());
  std::string text;
  for (const auto& [name, value] : parts) text += (text.empty() ? "" : "&") + name + "=" + value;
  return text;
}

/// The value without white space at its ends, and with single spaces inside.
std::string canonical_value(std::string_view value) {
  std::string text;
  for (const char c : trim(value))
    if (c != ' ' || !text.ends_with(' ')) text += c;
  return text;
}

struct CanonicalHeaders {
  std::string lines, names;
};

CanonicalHeaders canonical_headers(const http::Headers& headers) {
  std::vector<std::pair<std::string, std::string>> sorted;
  for (const auto& [name, value] : headers) sorted.emplace_back(lower(name), canonical_value(value));
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  CanonicalHeaders canonical;
  for (const auto& [name, value] : sorted) {
    canonical.lines += name + ":" + value + "\n";
    canonical.names += (canonical.names.empty() ? "" : ";") + name;
  }
  return canonical;
}

/// "20150830T123600Z"
std::string compact_time(Time time) {
  std::string text = rfc3339(time);
  std::erase_if(text, [](char c) { return c == '-' || c == ':'; });
  return text;
}

}  // namespace

void sign(http::Request& request, const std::string& host, const std::string& payload_sha256,
          const Credentials& credentials, const SigningScope& scope, Time now) {
  const std::string time = compact_time(now), date = time.substr(0, time.find('T'));
  request.headers.emplace_back("Host", host);
  request.headers.emplace_back("X-Amz-Date", time);
  if (!credentials.token.empty()) request.headers.emplace_back("X-Amz-Security-Token", credentials.token);
  if (scope.service == "s3") request.headers.emplace_back("X-Amz-Content-Sha256", payload_sha256);

  const size_t question = std::min(request.path.find('?'), request.path.size());
  const std::string path = request.path.substr(0, question);
  const std::string query = request.path.substr(std::min(question + 1, request.path.size()));
  const CanonicalHeaders headers = canonical_headers(request.headers);
  const std::string canonical = join(std::vector<std::string>{request.method, path, canonical_query(query),
                                                              headers.lines, headers.names, payload_sha256},
                                     "\n");
  const std::string where = date + "/" + scope.region + "/" + scope.service + "/aws4_request";
  const std::string to_sign = "AWS4-HMAC-SHA256\n" + time + "\n" + where + "\n" + sha256_hex(canonical);
  std::string key = "AWS4" + credentials.secret;
  for (const std::string& part : {date, scope.region, scope.service, std::string("aws4_request")})
    key = hmac(key, part);
  request.headers.emplace_back("Authorization", "AWS4-HMAC-SHA256 Credential=" + credentials.key_id + "/" +
                                                    where + ", SignedHeaders=" + headers.names +
                                                    ", Signature=" + keyed_sum(key, to_sign).hex());
}

}  // namespace kml::s3
