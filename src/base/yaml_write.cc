#include <algorithm>
#include <string>

#include "base/yaml_scalar.h"
#include "kml/base/text.h"
#include "kml/base/yaml.h"

namespace kml::yaml {

namespace {

bool is_printable(char32_t c) {
  if (c < 0xA0) return c >= 0x20 && c < 0x7F;
  return c != 0x2028 && c != 0x2029 && c != 0xFEFF && c != 0xFFFE && c != 0xFFFF;
}

/// Whether a reader might take the plain text for a number, a time or a base-60 number (1:30 in YAML 1.1): it
/// starts like a number, and contains only characters that occur in numbers.
bool looks_like_number(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  const size_t first = text.find_first_not_of("+-.");
  if (first == std::string_view::npos || kDigits.find(text[first]) == std::string_view::npos) return false;
  if (resolve_plain(text)) return true;
  const bool is_time = text.size() >= 8 && text.find_first_not_of(kDigits) == 4 && text[4] == '-';
  return is_time || text.find_first_not_of("0123456789+-._:eE") == std::string_view::npos;
}

/// Whether the text can be written in block style without quotes, and every reader still takes it for this
/// string.
bool is_plain(std::string_view text) {
  if (text.empty() || resolve_plain(text) || looks_like_number(text)) return false;
  if (text == "=" || text == "<<" || text.starts_with("---") || text.starts_with("...")) return false;
  if (text.front() == ' ' || text.back() == ' ' || text.back() == ':') return false;
  if (text.find(": ") != std::string_view::npos || text.find(" #") != std::string_view::npos) return false;
  if (std::string_view(",[]{}#&*!|>'\"%@`").find(text[0]) != std::string_view::npos) return false;
  if (std::string_view("-?:").find(text[0]) != std::string_view::npos && (text.size() == 1 || text[1] == ' '))
    return false;
  for (std::string_view rest = text; !rest.empty();) {
    auto character = first_code_point(rest);
    if (!character || !is_printable(character->value)) return false;
    rest.remove_prefix(character->bytes);
  }
  return true;
}

/// A JSON string is also a valid double-quoted YAML scalar, apart from some characters that YAML requires to
/// be escaped.
std::string double_quoted(std::string_view text) {
  std::string result = "\"";
  while (!text.empty()) {
    const auto character = first_code_point(text).value_or(CodePoint{0xFFFD, 1});
    const char32_t c = character.value;
    if (c == '"' || c == '\\') {
      result += {'\\', static_cast<char>(c)};
    } else if (is_printable(c) && c != 0xFFFD) {
      result += text.substr(0, character.bytes);
    } else if (c == '\n' || c == '\t' || c == '\r') {
      result += c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r";
    } else {
      constexpr char kHex[] = "0123456789abcdef";
      result += "\\u";
      for (int shift = 12; shift >= 0; shift -= 4) result += kHex[c >> shift & 0xF];
    }
    text.remove_prefix(character.bytes);
  }
  return result + "\"";
}

/// Whether a literal block preserves the text exactly and is readable.
bool fits_literal(std::string_view text) {
  if (text.find('\n') == std::string_view::npos || text[0] == '\n' || text[0] == ' ') return false;
  if (text.find(" \n") != std::string_view::npos || text.back() == ' ') return false;
  while (!text.empty()) {
    auto character = first_code_point(text);
    if (!character || (!is_printable(character->value) && character->value != '\n')) return false;
    text.remove_prefix(character->bytes);
  }
  return true;
}

class Writer {
 public:
  std::string take() { return std::move(text_); }

  /// Writes the value after "key:" or "-", with all its lines. Its children are indented by `indent`.
  void value_after(const Json& value, size_t indent, bool is_item) {
    if (value.is_object() && !value.empty()) {
      text_ += is_item ? " " : "\n" + std::string(indent, ' ');
      object(value, indent);
    } else if (value.is_array() && !value.empty()) {
      // As in kubectl's output, a list under a key is not indented.
      const size_t at = is_item ? indent : indent - 2;
      text_ += is_item ? " " : "\n" + std::string(at, ' ');
      array(value, at);
    } else {
      text_ += ' ';
      scalar(value, indent);
    }
  }

  void object(const Json& value, size_t indent) {
    for (auto it = value.begin(); it != value.end(); ++it) {
      if (it != value.begin()) text_ += std::string(indent, ' ');
      text_ += (is_plain(it.key()) ? it.key() : double_quoted(it.key())) + ":";
      value_after(it.value(), indent + 2, false);
    }
  }

  void array(const Json& value, size_t indent) {
    for (const Json& item : value) {
      if (&item != &value.front()) text_ += std::string(indent, ' ');
      text_ += '-';
      value_after(item, indent + 2, true);
    }
  }

  void scalar(const Json& value, size_t indent) {
    if (!value.is_string()) {
      text_ += value.dump() + "\n";
      return;
    }
    const auto& string = value.get_ref<const std::string&>();
    if (fits_literal(string)) {
      literal(string, indent);
    } else {
      text_ += (is_plain(string) ? string : double_quoted(string)) + "\n";
    }
  }

 private:
  void literal(std::string_view text, size_t indent) {
    const bool ends_line = text.back() == '\n';
    const bool ends_more = text.ends_with("\n\n");
    text_ += ends_more ? "|+\n" : ends_line ? "|\n" : "|-\n";
    if (ends_line) text.remove_suffix(1);
    while (true) {
      const size_t end = text.find('\n');
      const std::string_view line = text.substr(0, end);
      if (!line.empty()) text_ += std::string(indent, ' ').append(line);
      text_ += '\n';
      if (end == std::string_view::npos) break;
      text.remove_prefix(end + 1);
    }
  }

  std::string text_;
};

}  // namespace

std::string to_yaml(const Json& value) {
  Writer writer;
  if (value.is_object() && !value.empty()) {
    writer.object(value, 0);
  } else if (value.is_array() && !value.empty()) {
    writer.array(value, 0);
  } else {
    writer.scalar(value, 2);
  }
  return writer.take();
}

}  // namespace kml::yaml
