#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace kml::cli {

/// What may stand at the cursor.
struct Completion {
  enum class Kind { values, files, programs };
  struct Value {
    std::string text;  ///< the whole word
    std::string help;
  };
  Kind kind = Kind::values;
  std::vector<Value> values = {};  ///< those that begin with the word at the cursor
};

/// Completes the last of `words`; the ones before it stand on the command line, after "kml". `list` runs a
/// command of kml and returns what it printed.
Completion complete(const Command& root, std::vector<std::string> words,
                    const std::function<std::string(const std::vector<std::string>& argv)>& list);

}  // namespace kml::cli
