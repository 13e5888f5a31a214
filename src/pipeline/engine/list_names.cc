#include "pipeline/engine/list_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "kml/base/json.h"
#include "kml/base/text.h"

namespace kml::pipeline {

namespace {

/// How a list writes a byte of a name that is not UTF-8: \udce9. No UTF-8 text has such a half of a surrogate
/// pair.
constexpr std::string_view kByte = "\\udc";

/// Writes the bytes that are not ASCII as the prefix and two hexadecimal digits.
std::string with_bytes_as(std::string_view prefix, const std::string& name) {
  std::string text;
  for (const char each : name) {
    const std::string quoted = static_cast<signed char>(each) < 0
                                   ? fmt::format("{}{:02x}", prefix, static_cast<unsigned char>(each))
                                   : json_text(Json(std::string(1, each)));
    text += static_cast<signed char>(each) < 0 ? quoted : quoted.substr(1, quoted.size() - 2);
  }
  return text;
}

std::optional<std::string> text_in(std::string_view quoted) {
  const Json text = Json::parse(quoted, nullptr, false);
  return text.is_string() ? std::optional(text.get<std::string>()) : std::nullopt;
}

}  // namespace

std::string name_in_list(const std::string& name) {
  return is_utf8(name) ? json_text(Json(name)) : '"' + with_bytes_as(kByte, name) + '"';
}

std::string shown_name(const std::string& name) {
  return is_utf8(name) ? name : with_bytes_as("\\x", name);
}

std::optional<std::string> name_of_line(std::string_view quoted) {
  if (quoted.size() < 2 || quoted.find(kByte) == std::string_view::npos) return text_in(quoted);
  std::string name, part;  // a part without such bytes
  const auto take_part = [&] {
    const auto text = text_in('"' + std::exchange(part, {}) + '"');
    if (text) name += *text;
    return text.has_value();
  };
  for (std::string_view rest = quoted.substr(1, quoted.size() - 2); !rest.empty();) {
    const bool is_byte = rest.starts_with(kByte) && rest.size() >= kByte.size() + 2;
    if (is_byte) {
      if (!take_part()) return {};
      const char* digits = rest.data() + kByte.size();
      unsigned byte = 0;
      if (std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2) return {};
      name += static_cast<char>(byte);
    } else {
      part += rest.substr(0, rest.front() == '\\' ? 2 : 1);
    }
    rest.remove_prefix(is_byte ? kByte.size() + 2
                               : std::min<size_t>(rest.size(), rest.front() == '\\' ? 2 : 1));
  }
  if (!take_part()) return {};
  return name;
}

}  // namespace kml::pipeline
