#include "pipeline/kfp/values.h"

#include <cmath>

#include "kml/core/error.h"
#include "kml/core/text.h"
#include "pipeline/kfp/placeholders.h"

namespace kml::pipeline::kfp {

namespace {

/// Up to this value, a double can represent every whole number.
constexpr double kMostExact = 9007199254740992.0;

Json with_integers(Json value) {
  if (value.is_number_float()) {
    const double number = value;
    if (std::trunc(number) == number && std::abs(number) <= kMostExact) return static_cast<long long>(number);
  }
  if (value.is_structured())
    for (Json& part : value) part = with_integers(std::move(part));
  return value;
}

Json as_number(const Json& value) {
  if (!value.is_string()) return value;
  Json parsed = Json::parse(trim(value.get<std::string>()), nullptr, false);
  return parsed.is_number() ? parsed : value;
}

}  // namespace

Json typed(Json value, std::string_view type) {
  if (value.is_null()) return value;
  if (type == "STRING") return value.is_string() ? value : Json(text_of(with_integers(std::move(value))));
  if (type == "NUMBER_INTEGER") return with_integers(as_number(value));
  if (type == "NUMBER_DOUBLE") {
    Json number = as_number(value);
    return number.is_number() ? Json(number.get<double>()) : number;
  }
  if (type == "LIST" || type == "STRUCT") {
    if (value.is_string())
      if (Json parsed = Json::parse(value.get<std::string>(), nullptr, false); parsed.is_structured())
        return with_integers(std::move(parsed));
    return with_integers(std::move(value));
  }
  if (type == "BOOLEAN" && value.is_string()) {
    const std::string text = lower(value.get<std::string>());
    if (text == "true" || text == "false") return text == "true";
  }
  return value;
}

Json parsed_as(std::string_view text, std::string_view type) {
  if (type == "STRING") return std::string(text);
  const std::string trimmed(trim(text));
  Json value = typed(
      type == "LIST" || type == "STRUCT" ? parse_python_json(trimmed, "the output") : Json(trimmed), type);
  const bool fits = type == "NUMBER_INTEGER"  ? value.is_number_integer()
                    : type == "NUMBER_DOUBLE" ? value.is_number()
                    : type == "BOOLEAN"       ? value.is_boolean()
                    : type == "LIST"          ? value.is_array()
                                              : value.is_object();
  if (!fits)
    throw Error(ErrorCode::job_failed, "\"" + trimmed.substr(0, 100) + "\" is not a " + std::string(type));
  return value;
}

Json parse_python_json(std::string_view text, std::string_view source) {
  std::string json;
  bool is_in_string = false;
  while (!text.empty()) {
    size_t length = 1;
    if (is_in_string && text[0] == '\\' && text.size() > 1) {
      length = 2;
    } else if (text[0] == '"') {
      is_in_string = !is_in_string;
    } else if (!is_in_string) {
      for (const std::string_view word : {"NaN", "Infinity", "-Infinity"})
        if (text.starts_with(word)) length = word.size();
    }
    json += length > 2 ? "null" : text.substr(0, length);
    text.remove_prefix(length);
  }
  return parse_json(json, source);
}

}  // namespace kml::pipeline::kfp
