#pragma once

#include <functional>
#include <string>
#include <vector>

#include "run/options.h"

namespace trainer {

/// One flag. The parser, the help text and the suggestions all use one table of these.
struct Flag {
  const char* name;
  const char* value;  ///< the placeholder of its value in the help text; null if it has no value
  const char* help;
  std::function<void(Options&, const std::string&)> set;  ///< throws Error (exit code 2) for an invalid value
};

const std::vector<Flag>& flags();

}  // namespace trainer
