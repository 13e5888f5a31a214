#include "base/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/yaml_builder.h"
#include "kml/base/text.h"

namespace kml::yaml {

namespace {

bool is_any_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

/// Resolves the words that YAML 1.1's tables list, such as "yes" and ".inf".
std::optional<Json> resolve_word(std::string_view text) {
  if (is_any_of(text, {"", "~", "null", "Null", "NULL"})) return Json(nullptr);
  if (is_any_of(text, {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"})) return true;
  if (is_any_of(text, {"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"}))
    return false;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (is_any_of(text, {".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"})) return kInfinity;
  if (is_any_of(text, {"-.inf", "-.Inf", "-.INF"})) return -kInfinity;
  if (is_any_of(text, {".nan", ".NaN", ".NAN"})) return std::numeric_limits<double>::quiet_NaN();
  return {};
}

/// The number as Kubernetes would read it from JSON: a whole number that fits into 64 bits is an integer.
Json number(double value) {
  constexpr double kLimit = 9223372036854775808.0;
  if (value == std::floor(value) && value >= -kLimit && value < kLimit) return static_cast<int64_t>(value);
  return value;
}

/// Parses like Go's strconv.ParseInt(text, 0, 64), then like ParseUint: an optional sign, then a prefix for
/// the base: 0x, 0o, 0b or 0.
std::optional<Json> resolve_integer(std::string_view text) {
  const bool has_sign = text[0] == '-' || text[0] == '+';
  const bool is_negative = text[0] == '-';
  if (has_sign) text.remove_prefix(1);
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {
    const char prefix = static_cast<char>(text[1] | 0x20);
    base = prefix == 'x' ? 16 : prefix == 'b' ? 2 : 8;
    text.remove_prefix(base == 8 && prefix != 'o' ? 1 : 2);
  }
  uint64_t magnitude = 0;
  auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), magnitude, base);
  if (text.empty() || status != std::errc() || end != text.data() + text.size()) return {};
  constexpr uint64_t kLimit = uint64_t{1} << 63;
  if (is_negative) {
    if (magnitude > kLimit) return {};
    return static_cast<int64_t>(0 - magnitude);
  }
  if (magnitude < kLimit) return static_cast<int64_t>(magnitude);
  if (has_sign) return {};
  return static_cast<double>(magnitude);
}

/// [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
bool is_decimal(std::string_view text) {
  size_t i = 0;
  const auto digits = [&] {
    const size_t begin = i;
    while (i < text.size() && is_digit(text[i])) ++i;
    return i - begin;
  };
  const auto skip = [&](std::string_view any) {
    const bool is_there = i < text.size() && any.find(text[i]) != std::string_view::npos;
    i += is_there ? 1 : 0;
    return is_there;
  };
  skip("+-");
  const bool has_whole = digits() > 0;
  const bool has_fraction = skip(".") && digits() > 0;
  if (!has_whole && !has_fraction) return false;
  if (skip("eE")) {
    skip("+-");
    if (digits() == 0) return false;
  }
  return i == text.size();
}

std::optional<Json> resolve_decimal(std::string_view text) {
  if (!is_decimal(text)) return {};
  if (text[0] == '+') text.remove_prefix(1);
  double value = 0;
  auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size()) return {};
  return number(value);
}

/// The text into which sigs.k8s.io/yaml converts a key that is a float: Go's FormatFloat(value, 'g', -1, 32).
std::string float_key(float value) {
  if (!std::isfinite(value)) return value < 0 ? "-.inf" : ".inf";
  const int exponent = value == 0 ? 0 : static_cast<int>(std::floor(std::log10(std::fabs(value))));
  const bool is_long = exponent < -4 || exponent >= 6;
  std::array<char, 64> text;
  auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                           is_long ? std::chars_format::scientific : std::chars_format::fixed)
                 .ptr;
  return {text.data(), end};
}

}  // namespace

std::optional<Json> resolve_plain(std::string_view text) {
  if (auto word = resolve_word(text)) return word;
  if (text[0] == '.') return resolve_decimal(text);
  if (!is_digit(text[0]) && text[0] != '-' && text[0] != '+') return {};
  std::string bare;
  std::copy_if(text.begin(), text.end(), std::back_inserter(bare), [](char c) { return c != '_'; });
  if (bare.empty()) return {};
  if (auto integer = resolve_integer(bare)) return integer;
  return resolve_decimal(bare);
}

Json scalar_to_json(const Node& scalar, std::string_view source) {
  const auto wrong = [&](std::string what) { return problem_at(source, scalar.mark, std::move(what)); };
  constexpr std::string_view kCommon = "tag:yaml.org,2002:";
  std::string_view tag = scalar.tag;
  if (scalar.kind == Kind::null) return nullptr;
  if (scalar.quoted) return scalar.text;
  if (!tag.empty() && !tag.starts_with(kCommon)) return scalar.text;
  if (!tag.empty()) tag.remove_prefix(kCommon.size());

  if (tag == "binary") {
    auto bytes = base64_decoded(scalar.text);
    if (!bytes) throw wrong("!!binary is not base64");
    if (!is_utf8(*bytes)) throw wrong("the text of !!binary is not UTF-8, so JSON cannot represent it");
    return *bytes;
  }
  if (!is_any_of(tag, {"", "bool", "int", "float", "null"})) return scalar.text;

  Json value = resolve_plain(scalar.text).value_or(scalar.text);
  if (value.is_number_float() && !std::isfinite(value.get<double>()))
    throw wrong("JSON cannot represent the number " + scalar.text);
  const bool fits = tag.empty() || (tag == "bool" && value.is_boolean()) ||
                    (tag == "int" && value.is_number_integer()) || (tag == "float" && value.is_number()) ||
                    (tag == "null" && value.is_null());
  if (!fits) throw wrong("\"" + scalar.text + "\" is not of type !!" + std::string(tag));
  return value;
}

std::string key_text(const Node& key, std::string_view source) {
  Json value = scalar_to_json(key, source);
  if (value.is_string()) return value.get<std::string>();
  const bool is_float = value.is_number() && resolve_decimal(key.text) && !resolve_integer(key.text);
  if (!is_float) return value.dump();
  return float_key(value.get<float>());
}

}  // namespace kml::yaml
