#include "net/http/certificate_dates.h"

#include "kml/base/text.h"

namespace kml::http {

namespace {

/// The DER tags (X.690 8.1.2) on the path to a certificate's validity.
enum Tag : unsigned char { kSequence = 0x30, kVersionTag = 0xa0, kUtcTime = 0x17, kGeneralizedTime = 0x18 };

struct Value {
  unsigned char tag;
  std::string_view content;
};

/// Removes the first value from the bytes and returns it; empty if they contain no complete value.
std::optional<Value> take_value(std::string_view& der) {
  if (der.size() < 2) return {};
  const auto byte = [&](size_t at) { return static_cast<unsigned char>(der[at]); };
  size_t length = byte(1), begin = 2;
  if (length >= 0x80) {
    const size_t count = length & 0x7f;
    if (count == 0 || count > 4 || der.size() < begin + count) return {};
    for (length = 0; count + 2 > begin; ++begin) length = length << 8 | byte(begin);
  }
  if (der.size() - begin < length) return {};
  const Value value{byte(0), der.substr(begin, length)};
  der.remove_prefix(begin + length);
  return value;
}

/// The content of the next value, which must be a sequence.
std::optional<std::string_view> take_sequence(std::string_view& der) {
  const auto value = take_value(der);
  return value && value->tag == kSequence ? std::optional(value->content) : std::nullopt;
}

/// Parses a time. A UTCTime has two digits for the year; 50 and above belong to the last century.
std::optional<Time> take_time(std::string_view& der) {
  const auto value = take_value(der);
  if (!value || (value->tag != kUtcTime && value->tag != kGeneralizedTime)) return {};
  std::string digits(value->content);
  if (value->tag == kUtcTime) digits.insert(0, digits >= "50" ? "19" : "20");
  if (digits.size() != 15 || digits.back() != 'Z') return {};
  return parse_rfc3339(digits.substr(0, 4) + "-" + digits.substr(4, 2) + "-" + digits.substr(6, 2) + "T" +
                       digits.substr(8, 2) + ":" + digits.substr(10, 2) + ":" + digits.substr(12, 2) + "Z");
}

/// Certificate = { to be signed = { [version], number, algorithm, issuer, validity = { from, until }, …
std::optional<CertificateDates> dates_in(std::string_view der) {
  auto certificate = take_sequence(der);
  auto to_sign = certificate ? take_sequence(*certificate) : std::nullopt;
  if (!to_sign) return {};
  auto first = take_value(*to_sign);
  if (first && first->tag == kVersionTag) first = take_value(*to_sign);
  const auto algorithm = take_value(*to_sign), issuer = take_value(*to_sign);
  auto validity = take_sequence(*to_sign);
  if (!first || !algorithm || !issuer || !validity) return {};
  const auto from = take_time(*validity), until = take_time(*validity);
  return from && until ? std::optional(CertificateDates{*from, *until}) : std::nullopt;
}

}  // namespace

std::optional<CertificateDates> certificate_dates(std::string_view pem) {
  constexpr std::string_view kBegin = "-----BEGIN CERTIFICATE-----", kEnd = "-----END CERTIFICATE-----";
  const size_t begin = pem.find(kBegin);
  if (begin == std::string_view::npos) return {};
  std::string_view rest = pem.substr(begin + kBegin.size());
  std::string base64;
  for (const std::string& line : split(rest.substr(0, rest.find(kEnd)), '\n')) base64 += trim(line);
  const auto der = base64_decoded(base64);
  return der ? dates_in(*der) : std::nullopt;
}

std::string certificate_fault(std::string_view pem, Time now) {
  const auto dates = certificate_dates(pem);
  if (!dates || (now >= dates->from && now <= dates->until)) return {};
  return now < dates->from ? "is not valid before " + rfc3339(dates->from)
                           : "expired on " + rfc3339(dates->until);
}

}  // namespace kml::http
