#include "kml/pipeline/engine/run_time.h"

#include "kml/base/clock.h"

namespace kml::pipeline {

std::string scheduled_text(const Json& head) {
  std::string text = string_at(head, {"scheduled"});
  if (!text.empty()) return text;
  const auto begun = parse_rfc3339(string_at(head, {"time"}));
  return rfc3339(begun.value_or(Time()));
}

Json keyed_values(const Json& head) {
  Json values = object_at(head, {"params"});
  values["run.scheduled"] = scheduled_text(head);
  return values;
}

}  // namespace kml::pipeline
