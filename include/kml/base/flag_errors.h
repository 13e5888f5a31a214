#pragma once

#include <span>
#include <string>

#include "kml/base/error.h"

namespace kml {

// The wordings of errors about flags and arguments. All are usage errors (exit code 2).

/// `invalid value "foo" for --rank`. `expected` is what the flag takes, as in "a whole number".
Error invalid_value(const std::string& value, const std::string& flag, const std::string& expected,
                    std::string fix = {});

/// The same for a flag that takes one of `choices`; the fix names the nearest of them.
Error invalid_choice(const std::string& value, const std::string& flag, std::span<const std::string> choices);

/// `--follow cannot be used with --wait`
Error not_together(const std::string& first, const std::string& second, std::string why = {},
                   std::string fix = "use one of them");

/// `JOB is missing`
Error missing_argument(const std::string& name, std::string why, std::string fix);

}  // namespace kml
