#include "kml/net/registry/reference.h"

#include <algorithm>

#include "kml/base/error.h"
#include "kml/base/sha256.h"
#include "kml/base/text.h"

namespace kml::registry {

namespace {

constexpr std::string_view kHub = "docker.io";
constexpr std::string_view kSha256 = "sha256:";
constexpr size_t kLongestRepository = 255, kLongestTag = 128;

bool is_lower_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || is_digit(c);
}

bool is_letter_or_digit(char c) {
  return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z');
}

bool has_only(std::string_view text, bool (*is_allowed)(char), std::string_view others) {
  return std::ranges::all_of(
      text, [&](char c) { return is_allowed(c) || others.find(c) != std::string_view::npos; });
}

/// https://github.com/opencontainers/distribution-spec/blob/v1.1.1/spec.md#pulling-manifests
bool is_repository(std::string_view text) {
  if (text.empty() || text.size() > kLongestRepository) return false;
  return std::ranges::all_of(split(text, '/'), [](const std::string& part) {
    return !part.empty() && has_only(part, is_lower_or_digit, "._-") && is_lower_or_digit(part.front()) &&
           is_lower_or_digit(part.back()) && !contains(part, "..");
  });
}

bool is_tag(std::string_view text) {
  return !text.empty() && text.size() <= kLongestTag && has_only(text, is_letter_or_digit, "._-") &&
         text.front() != '.' && text.front() != '-';
}

/// Whether the part before the first "/" can be a host. In "team/image", it is not: the image is on Docker
/// Hub.
bool may_be_host(std::string_view part) {
  return part == "localhost" || part.find_first_of(".:") != std::string_view::npos;
}

bool is_port(std::string_view text) {
  constexpr int kHighest = 65535;
  const auto port = text.empty() ? std::nullopt : whole_number(text);
  return port && *port > 0 && *port <= kHighest;
}

/// NAME, NAME:PORT, [ADDRESS] or [ADDRESS]:PORT
bool is_host_and_port(std::string_view text) {
  const size_t end = text.starts_with('[') ? text.find(']') : std::min(text.find(':'), text.size()) - 1;
  if (end >= text.size()) return false;
  const std::string_view host = text.substr(0, end + 1), rest = text.substr(end + 1);
  const bool is_name = host.starts_with('[')
                           ? has_only(host.substr(1, host.size() - 2), is_letter_or_digit, ":.")
                           : has_only(host, is_letter_or_digit, ".-") && is_letter_or_digit(host.front()) &&
                                 is_letter_or_digit(host.back()) && !contains(host, "..");
  return is_name && (rest.empty() || (rest[0] == ':' && is_port(rest.substr(1))));
}

}  // namespace

bool is_digest(std::string_view text) {
  return text.starts_with(kSha256) && is_sha256_hex(text.substr(kSha256.size()));
}

std::string digest_of(std::string_view bytes) {
  return std::string(kSha256) + sha256_hex(bytes);
}

std::string Reference::text() const {
  return repository_name() + (tag.empty() ? "" : ":" + tag) + (digest.empty() ? "" : "@" + digest);
}

std::string Reference::manifest_name() const {
  return !digest.empty() ? digest : !tag.empty() ? tag : "latest";
}

Reference parse_reference(std::string_view text, const std::string& source) {
  const auto wrong = [&](const std::string& why) {
    return usage_error(source + " \"" + std::string(text) + "\" is not the name of an image", why,
                       "write HOST/NAME:TAG, such as registry.example/team/train:1");
  };
  Reference reference;
  std::string_view rest = text;
  if (const size_t at = rest.find('@'); at != rest.npos) {
    reference.digest = rest.substr(at + 1);
    if (!is_digest(reference.digest)) throw wrong("a digest is sha256: followed by 64 hexadecimal digits");
    rest = rest.substr(0, at);
  }
  if (const size_t colon = rest.rfind(':'); colon != rest.npos && rest.find('/', colon) == rest.npos) {
    reference.tag = rest.substr(colon + 1);
    if (!is_tag(reference.tag)) throw wrong("its tag is invalid");
    rest = rest.substr(0, colon);
  }
  const size_t slash = rest.find('/');
  if (slash != rest.npos && slash > 0 && may_be_host(rest.substr(0, slash))) {
    reference.host = rest.substr(0, slash);
    rest.remove_prefix(slash + 1);
    if (!is_host_and_port(reference.host)) throw wrong("its host is invalid");
    if (reference.host == "index.docker.io") reference.host = kHub;
  } else {
    reference.host = kHub;
  }
  const bool is_official = reference.host == kHub && rest.find('/') == rest.npos;
  reference.repository = (is_official ? "library/" : "") + std::string(rest);
  if (!is_repository(reference.repository))
    throw wrong(
        "a repository's name has lower-case letters and digits, with \".\", \"_\" or \"-\" between them");
  return reference;
}

}  // namespace kml::registry
