#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace kml::cli {

/// A command line that can be pasted, and what it is for.
struct Example {
  std::string line;
  std::string purpose = {};
};

/// Those of a command: see Command::examples.
std::vector<Example> examples_of(const Command& command);

/// The examples, indented, each purpose as a comment above its line. A line that is too long is broken
/// between the shell's words, with "\" at the end, so that it can still be pasted.
std::string examples_text(const std::vector<Example>& examples, size_t width);

}  // namespace kml::cli
