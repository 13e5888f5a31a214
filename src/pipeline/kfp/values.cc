#include "pipeline/kfp/values.h"

#include <cmath>
#include <limits>
#include <utility>

#include "kml/base/error.h"
#include "kml/base/text.h"
#include "pipeline/kfp/placeholders.h"

namespace kml::pipeline::kfp {

namespace {

/// Up to this value, a double can represent all whole numbers.
constexpr double kMostExact = 9007199254740992.0;

/// Texts that stand for numbers which Python writes and JSON lacks, while JSON is being parsed.
constexpr const char *kNan = "\x01NaN", *kInfinite = "\x01Infinity", *kNegative = "\x01-Infinity";
constexpr std::pair<std::string_view, std::string_view> kWords[] = {
    {"NaN", "\"\\u0001NaN\""}, {"Infinity", "\"\\u0001Infinity\""}, {"-Infinity", "\"\\u0001-Infinity\""}};

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
  if (type == "NUMBER_INTEGER")
    return value.is_boolean() ? Json(value.get<bool>() ? 1 : 0) : with_integers(as_number(value));
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

bool fits(const Json& value, std::string_view type) {
  if (type == "STRING") return value.is_string();
  if (type == "NUMBER_INTEGER") return value.is_number_integer();
  if (type == "NUMBER_DOUBLE") return value.is_number();
  if (type == "BOOLEAN") return value.is_boolean();
  if (type == "LIST") return value.is_array();
  return type != "STRUCT" || value.is_object();
}

Json from_file(std::string_view text, std::string_view type) {
  if (type == "STRING") return std::string(text);
  const std::string trimmed(trim(text));
  return type == "LIST" || type == "STRUCT" ? parse_python_json(trimmed, "the output") : Json(trimmed);
}

namespace {

/// The first NaN, Infinity or -Infinity in the value; empty if all numbers are finite.
std::string not_finite_in(const Json& value) {
  if (value.is_number_float() && !std::isfinite(value.get<double>()))
    return std::isnan(value.get<double>()) ? "NaN" : value.get<double>() > 0 ? "Infinity" : "-Infinity";
  if (value.is_structured())
    for (const Json& part : value)
      if (std::string found = not_finite_in(part); !found.empty()) return found;
  return {};
}

}  // namespace

Json output_value(Json made, std::string_view type) {
  if (const std::string found = not_finite_in(made); !found.empty())
    throw Error(ErrorCode::job_failed, (made.is_number() ? "is " : "contains ") + found,
                "JSON, in which Kubeflow Pipelines passes parameters, has no such number; return a str, or "
                "log it as a metric");
  Json value = typed(std::move(made), type);
  const std::string text = text_of(value);
  if (!fits(value, type))
    throw Error(ErrorCode::job_failed,
                "is " + (text.empty() ? "empty" : text.substr(0, 100)) + ", not a " + std::string(type));
  if (const size_t bytes = compact_text(value).size(); bytes > kMostArgumentBytes)
    throw Error(ErrorCode::job_failed,
                "has " + std::to_string(bytes) + " bytes, more than " + std::to_string(kMostArgumentBytes),
                "Linux does not allow a longer command argument, and the next task gets the parameter as an "
                "argument; write it to an artifact, such as Output[Dataset]");
  return value;
}

namespace {

/// Turns the texts that parse_python_json() has put in place of NaN and the infinities back into numbers.
Json with_words(Json value) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (value == kNan) return std::numeric_limits<double>::quiet_NaN();
  if (value == kInfinite) return kInfinity;
  if (value == kNegative) return -kInfinity;
  if (value.is_structured())
    for (Json& part : value) part = with_words(std::move(part));
  return value;
}

}  // namespace

Json parse_python_json(std::string_view text, std::string_view source) {
  std::string json;
  bool is_in_string = false, has_words = false;
  while (!text.empty()) {
    std::string_view word = text.substr(0, is_in_string && text[0] == '\\' && text.size() > 1 ? 2 : 1);
    std::string_view written = word;
    if (word == "\"") {
      is_in_string = !is_in_string;
    } else if (!is_in_string) {
      for (const auto& [python, marked] : kWords)
        if (text.starts_with(python)) word = python, written = marked;
    }
    has_words = has_words || written.data() != word.data();
    json += written;
    text.remove_prefix(word.size());
  }
  Json value = parse_json(json, source);
  return has_words ? with_words(std::move(value)) : value;
}

}  // namespace kml::pipeline::kfp
