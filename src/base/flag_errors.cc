#include "kml/base/flag_errors.h"

#include "kml/base/text.h"

namespace kml {

Error invalid_value(const std::string& value, const std::string& flag, const std::string& expected,
                    std::string fix) {
  return usage_error("invalid value \"" + value + "\" for " + flag, "it takes " + expected, std::move(fix));
}

Error invalid_choice(const std::string& value, const std::string& flag,
                     std::span<const std::string> choices) {
  return invalid_value(value, flag, (choices.size() > 1 ? "one of " : "") + join(choices, ", "),
                       did_you_mean(lower(value), choices));
}

Error not_together(const std::string& first, const std::string& second, std::string why, std::string fix) {
  return usage_error(first + " cannot be used with " + second, std::move(why), std::move(fix));
}

Error missing_argument(const std::string& name, std::string why, std::string fix) {
  return usage_error(name + " is missing", std::move(why), std::move(fix));
}

}  // namespace kml
