#include "kml/net/fetch/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kml/base/error.h"
#include "kml/base/sha256.h"
#include "kml/base/text.h"
#include "kml/base/tree_names.h"
#include "kml/net/s3/settings.h"
#include "net/fetch/names.h"

namespace kml::fetch {

namespace {

constexpr std::string_view kHttps = "https://", kHttp = "http://", kHub = "hf://", kBucket = "s3://",
                           kGoogle = "gs://";
constexpr std::string_view kSum = "#sha256=", kList = "#list=";
constexpr size_t kKeyDigits = 24;

bool has_odd_character(std::string_view text) {
  return std::ranges::any_of(text, [](unsigned char c) { return c <= ' ' || c >= 0x7f; });
}

bool is_hub_name(std::string_view name) {
  return !name.empty() && name[0] != '.' && name[0] != '-' && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '-' || c == '_' ||
           c == '.';
  });
}

/// The name of a parameter in the URL that contains a signature or a token; empty if it has none.
std::string credential_in(std::string_view url) {
  constexpr std::string_view kNames[] = {"x-amz-signature",
                                         "x-amz-credential",
                                         "x-amz-security-token",
                                         "x-goog-signature",
                                         "x-goog-credential",
                                         "signature",
                                         "sig",
                                         "token",
                                         "access_token",
                                         "private_token",
                                         "api_key",
                                         "apikey",
                                         "password"};
  const size_t query = std::min(url.find('?'), url.size());
  for (const std::string& parameter : split(url.substr(std::min(query + 1, url.size())), '&')) {
    std::string name = parameter.substr(0, parameter.find('='));
    if (std::ranges::find(kNames, lower(name)) != std::end(kNames)) return name;
  }
  return {};
}

/// The text before `sign`. Removes it and `sign` from `rest`.
std::string cut(std::string_view& rest, char sign) {
  const size_t end = std::min(rest.find(sign), rest.size());
  std::string before(rest.substr(0, end));
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return before;
}

/// The revision, which may be one of a hub's own references: refs/pr/1 or refs/convert/parquet. "%2F" stands
/// for a slash in other names.
std::string cut_revision(std::string_view& rest) {
  const bool is_reference = rest.starts_with("refs/");
  std::string revision = cut(rest, '/');
  for (int part = 0; is_reference && part < 2; ++part) revision += "/" + cut(rest, '/');
  for (size_t at = revision.find("%2F"); at != std::string::npos; at = revision.find("%2F"))
    revision.replace(at, 3, "/");
  return revision;
}

}  // namespace

std::string Source::text() const {
  switch (kind) {
    case Kind::file: return place + std::string(kSum) + version;
    case Kind::hub:
      return std::string(kHub) + place + "@" + percent_encoded(version) + (folder.empty() ? "" : "/") +
             folder;
    case Kind::bucket: return place + (version.empty() ? "" : std::string(kList) + version);
  }
  return {};
}

bool is_google(const Source& source) {
  return source.kind == Source::Kind::bucket && source.place.starts_with(kGoogle);
}

std::string Source::key() const {
  return std::string(kKeyStart) + sha256_hex(text()).substr(0, kKeyDigits);
}

namespace {

/// The lengths of other digests, to recognize when a user has given one of these.
constexpr std::pair<size_t, std::string_view> kOtherSums[] = {
    {32, "an md5"}, {40, "a sha1"}, {96, "a sha384"}, {128, "a sha512"}};

/// What is wrong with the digits of a sha256; empty if nothing is.
std::string digits_problem(const std::string& sum) {
  constexpr size_t kDigits = 64;
  constexpr std::string_view kExpected = "a sha256 has 64 lower-case hexadecimal digits";
  if (sum.empty()) return fmt::format("the sum after \"{}\" is missing: {}", kSum, kExpected);
  if (const size_t odd = sum.find_first_not_of("0123456789abcdefABCDEF"); odd != sum.npos)
    return fmt::format("\"{}\" at digit {} of the sum is not hexadecimal: {}", sum[odd], odd + 1, kExpected);
  for (const auto& [digits, name] : kOtherSums)
    if (sum.size() == digits)
      return fmt::format("the sum has {} digits, like {}: {}", digits, name, kExpected);
  if (sum.size() != kDigits) return fmt::format("the sum has {} digits: {}", sum.size(), kExpected);
  return is_sha256_hex(sum) ? "" : "the sum is in upper case; write #sha256=" + lower(sum);
}

/// What is wrong with "#sha256=SUM"; empty if nothing is.
std::string sum_problem(std::string_view fragment) {
  if (fragment.starts_with(kSum)) return digits_problem(std::string(fragment.substr(kSum.size())));
  const size_t end = std::min(fragment.find_first_of("=:"), fragment.size());
  const std::string name = lower(fragment.substr(1, end - 1));
  const std::vector<std::string> known = {"sha256"};
  constexpr std::string_view kOthers[] = {"md5", "sha1", "sha512", "sha384", "crc32"};
  if (std::ranges::find(kOthers, name) != std::end(kOthers))
    return "kml checks only sha256 sums, not " + name + ": write #sha256=SUM, as sha256sum prints it";
  const bool is_near = nearest(name, known).has_value() || name == "sha-256";
  return "\"" + std::string(fragment.substr(0, end + 1)) + "\" is not known" +
         (is_near ? "; did you mean #sha256=SUM?" : ": write #sha256=SUM, as sha256sum prints it");
}

class SourceReader {
 public:
  SourceReader(std::string_view text, const std::string& flag) : text_(text), flag_(flag) {}

  Source read() const {
    if (has_odd_character(text_)) throw wrong("it has a space, or a character that must be percent-encoded");
    if (text_.starts_with(kHttps) || text_.starts_with(kHttp)) return file();
    if (text_.starts_with(kHub)) return hub();
    if (text_.starts_with(kBucket) || text_.starts_with(kGoogle)) return bucket();
    throw wrong(
        "write https://HOST/FILE#sha256=SUM, hf://datasets/ORG/NAME@REVISION, s3://BUCKET/PREFIX or "
        "gs://BUCKET/PREFIX");
  }

 private:
  Error wrong(const std::string& why) const {
    return usage_error(flag_ + ": invalid source \"" + std::string(text_) + "\"", why);
  }

  Error readable(const std::string& what) const {
    return usage_error(flag_ + ": the URL has " + what, "others could read it in the job's manifest",
                       "use a URL without credentials, or put the file into a bucket");
  }

  Source file() const {
    const size_t sum = text_.find('#');
    if (sum == text_.npos)
      throw wrong(
          "without a digest, kml could not see that the file has changed: add #sha256=SUM, as sha256sum "
          "prints it");
    if (std::string problem = sum_problem(text_.substr(sum)); !problem.empty()) throw wrong(problem);
    Source source{.place = std::string(text_.substr(0, sum)),
                  .version = std::string(text_.substr(sum + kSum.size()))};
    const size_t host = source.place.find("://") + 3, path = source.place.find('/', host);
    if (path == std::string::npos || path == host ||
        source.place.substr(0, source.place.find('?')).ends_with('/'))
      throw wrong("the URL does not name a file");
    if (source.place.substr(host, path - host).find('@') != std::string::npos)
      throw readable("a user name or a password");
    if (const std::string name = credential_in(source.place); !name.empty())
      throw readable("the parameter " + name);
    return source;
  }

  Source hub() const {
    std::string_view rest = text_.substr(kHub.size());
    const bool has_kind = rest.starts_with("datasets/") || rest.starts_with("models/");
    const std::string kind = has_kind ? cut(rest, '/') : "models";
    const std::string organization = cut(rest, '/');
    const size_t end = rest.find_first_of("/@");
    const bool has_revision = end != rest.npos && rest[end] == '@';
    const std::string name = cut(rest, has_revision ? '@' : '/');
    const std::string revision = has_revision ? cut_revision(rest) : "main";
    if (!is_hub_name(organization) || !is_hub_name(name))
      throw wrong("write hf://datasets/ORG/NAME@REVISION, or hf://ORG/NAME@REVISION for a model");
    if (revision.empty()) throw wrong("the revision after \"@\" is missing");
    Source source{.kind = Source::Kind::hub, .place = kind + "/" + organization + "/" + name};
    source.version = revision;
    source.folder = rest;
    while (source.folder.ends_with('/')) source.folder.pop_back();
    if (!source.folder.empty() && !is_path_beneath(source.folder))
      throw wrong("its folder is not a valid path");
    return source;
  }

  Source bucket() const {
    const size_t list = std::min(text_.find('#'), text_.size());
    Source source{.kind = Source::Kind::bucket, .place = std::string(text_.substr(0, list))};
    while (source.place.size() > kBucket.size() && source.place.ends_with('/')) source.place.pop_back();
    const std::string_view name = std::string_view(source.place).substr(kBucket.size());
    if (name.empty() || !is_path_beneath(name)) throw wrong("write s3://BUCKET/PREFIX");
    if (!is_google(source)) s3::parse_bucket(source.place, flag_);
    if (list == text_.size()) return source;
    source.version = text_.substr(std::min(list + kList.size(), text_.size()));
    if (!text_.substr(list).starts_with(kList) || !is_sha256_hex(source.version))
      throw wrong("after \"#\", kml accepts only list=SUM");
    return source;
  }

  std::string_view text_;
  const std::string& flag_;
};

}  // namespace

Source parse_source(std::string_view text, const std::string& flag) {
  return SourceReader(text, flag).read();
}

}  // namespace kml::fetch
