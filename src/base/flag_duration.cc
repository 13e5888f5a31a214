#include "kml/base/flag_duration.h"

#include "kml/base/clock.h"
#include "kml/base/flag_errors.h"
#include "kml/base/text.h"

namespace kml {

std::optional<std::chrono::seconds> typed_duration(std::string_view text) {
  const auto duration = parse_duration(text);
  const bool has_unit = !text.empty() && !is_digit(text.back());
  return duration && (has_unit || *duration == std::chrono::seconds(0)) ? duration : std::nullopt;
}

std::string with_each_unit(const std::string& text) {
  if (!parse_duration(text)) return {};
  const bool is_one_number = text.find_first_not_of("0123456789") == std::string::npos;
  return is_one_number ? text + "s, " + text + "m, " + text + "h or " + text + "d"
                       : text + "m or " + text + "s";
}

std::chrono::seconds duration_in_flag(const std::string& value, const std::string& flag) {
  if (const auto duration = typed_duration(value)) return *duration;
  const std::string fix = with_each_unit(value);
  throw invalid_value(value, flag, "a duration with its unit: 90s, 15m, 2h30m, 7d",
                      fix.empty() ? "" : flag + " " + fix);
}

}  // namespace kml
