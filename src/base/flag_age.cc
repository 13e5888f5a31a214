#include "kml/base/flag_age.h"

#include "kml/base/clock.h"
#include "kml/base/flag_errors.h"
#include "kml/base/text.h"

namespace kml {

std::chrono::seconds age_in_flag(const std::string& value, const std::string& flag) {
  const auto age = parse_duration(value);
  const bool has_unit = !value.empty() && !is_digit(value.back());
  if (age && (has_unit || *age == std::chrono::seconds(0))) return *age;
  throw invalid_value(value, flag, "a duration with its unit: 12h, 7d",
                      age ? flag + " " + value + "d, or " + value + "s for seconds" : "");
}

}  // namespace kml
