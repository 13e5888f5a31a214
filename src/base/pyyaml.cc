#include "kml/base/pyyaml.h"

#include "kml/base/pattern.h"
#include "kml/base/text.h"

namespace kml::yaml {

namespace {

/// The regular expressions of PyYAML's resolver. Dates, `=` and `<<` are left out, because they stay text in
/// JSON.
const Pattern& words_and_numbers() {
  static const Pattern pattern(
      R"(\A(?:~|null|Null|NULL|yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)"
      R"(|[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?)"
      R"(|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))"
      R"(|[-+]?0b[0-1_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+)?\z)");
  return pattern;
}

/// Base-60 numbers: `1:30` and `1:30.5`.
const Pattern& sexagesimal() {
  static const Pattern pattern(
      R"(\A(?:[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*)\z)");
  return pattern;
}

std::string decimal_of(std::string text) {
  std::erase(text, '_');
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.erase(0, 1);
  const size_t point = text.find('.');
  const std::string fraction = point == std::string::npos ? "" : text.substr(point);
  long long whole = 0;
  for (const std::string& digits : split(text.substr(0, point), ':')) whole = whole * 60 + std::stoll(digits);
  return (is_negative ? "-" : "") + std::to_string(whole) + fraction;
}

void resolve_scalar(Node& scalar) {
  constexpr size_t kLongestSexagesimal = 16;  // longer numbers could exceed 64 bits, and no one writes them
  if (scalar.quoted || !scalar.tag.empty() || words_and_numbers().matches(scalar.text)) return;
  if (scalar.text.size() <= kLongestSexagesimal && sexagesimal().matches(scalar.text))
    scalar.text = decimal_of(scalar.text);
  else
    scalar.quoted = true;
}

}  // namespace

namespace {

bool is_real(const Node& scalar) {
  return !scalar.quoted && scalar.kind == Kind::scalar &&
         scalar.text.find_first_of(".eE") != std::string::npos &&
         scalar.text.find_first_of("xX") == std::string::npos;
}

bool is_whole(std::string_view text) {
  return text.find_first_not_of("+-_0123456789") == std::string_view::npos;
}

/// Python's whole numbers have any size. One that does not fit into 64 bits becomes a text.
Json large_whole(std::string text) {
  std::erase(text, '_');
  if (text.starts_with('+')) text.erase(0, 1);
  const Json value = Json::parse(text, nullptr, false);
  return value.is_number_integer() ? value : Json(text);
}

Json with_reals(const Node& node, std::string_view source) {
  if (node.kind == Kind::sequence) {
    Json list = Json::array();
    for (const Node& item : node.items) list.push_back(with_reals(item, source));
    return list;
  }
  if (node.kind == Kind::mapping) {
    Json object = Json::object();
    for (const Node::Entry& entry : node.entries)
      object[key_text(entry.key, source)] = with_reals(entry.value, source);
    return object;
  }
  Json value = scalar_to_json(node, source);
  constexpr size_t kSurelyFits = 18;
  if (value.is_number() && node.text.size() > kSurelyFits && is_whole(node.text))
    return large_whole(node.text);
  if (!value.is_number() || !is_real(node)) return value;
  const auto real = value.get<double>();
  return real == 0 && node.text.starts_with('-') ? -0.0 : real;
}

}  // namespace

Json python_json(Node document, std::string_view source, bool is_json) {
  if (!is_json) resolve_as_pyyaml(document);
  return with_reals(document, source);
}

void resolve_as_pyyaml(Node& node) {
  if (node.kind == Kind::scalar) resolve_scalar(node);
  for (Node& item : node.items) resolve_as_pyyaml(item);
  for (Node::Entry& entry : node.entries) {
    resolve_as_pyyaml(entry.key);
    resolve_as_pyyaml(entry.value);
  }
}

}  // namespace kml::yaml
