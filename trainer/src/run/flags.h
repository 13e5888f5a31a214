#pragma once

#include <functional>
#include <string>
#include <vector>

#include "run/options.h"

namespace trainer {

/// The parser, the help text and the suggestions all come from one table of these.
struct Flag {
  const char* name;
  const char* value;  ///< what it takes, for the help text; null: nothing
  const char* help;
  std::function<void(Options&, const std::string&)> set;  ///< throws Error (exit code 2) for a bad value
};

const std::vector<Flag>& flags();

}  // namespace trainer
