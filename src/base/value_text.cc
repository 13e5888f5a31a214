#include "kml/base/value_text.h"

#include "kml/base/real_number.h"
#include "kml/base/text.h"

namespace kml {

Json value_of_text(const std::string& text) {
  if (is_like_hash(trim(text))) return Json(trim(text));
  const Json parsed = Json::parse(trim(text), nullptr, false);
  return parsed.is_number() || parsed.is_boolean() ? parsed : Json(trim(text));
}

Json exact_value_of(const std::string& text) {
  Json value = value_of_text(text);
  return value.is_number() && value.dump() == text ? std::move(value) : Json(text);
}

Json made_of_text(const std::string& text) {
  Json made = {{"value", value_of_text(text)}};
  if (const std::string written(trim(text)); !made["value"].is_string() && made["value"].dump() != written)
    made["text"] = written;
  return made;
}

Json as_written(const Json& made) {
  return made.value("text", made.value("value", Json()));
}

}  // namespace kml
