#pragma once

#include <span>
#include <string>

#include "kml/base/error.h"

namespace kml {

// The wordings for errors about flags and arguments. All of them are usage errors (exit code 2).

/// `invalid value "foo" for --rank`. `expected` says what the flag accepts, such as "a whole number".
Error invalid_value(const std::string& value, const std::string& flag, const std::string& expected,
                    std::string fix = {});

/// Like invalid_value(), for a flag that accepts one of `choices`. The fix names the nearest choice, if any
/// is near.
Error invalid_choice(const std::string& value, const std::string& flag, std::span<const std::string> choices);

/// `--follow cannot be used with --wait`
Error not_together(const std::string& first, const std::string& second, std::string why = {},
                   std::string fix = "use one of them");

/// `JOB is missing`
Error missing_argument(const std::string& name, std::string why, std::string fix);

}  // namespace kml
