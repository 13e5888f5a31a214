#pragma once

#include <functional>
#include <string>
#include <vector>

#include "run/options.h"

namespace trainer {

/// One flag. The parser, the help text and the suggestions all use one table of these.
struct Flag {
  const char* name;
  const char* value;  ///< the placeholder for the value in the help text; null for a flag without a value
  const char* help;
  std::function<void(Options&, const std::string&)> set;  ///< throws Error (exit code 2) for an invalid value
};

const std::vector<Flag>& flags();

}  // namespace trainer
