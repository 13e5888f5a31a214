#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace kml::cli {

/// A command line that can be pasted, and its purpose.
struct Example {
  std::string line;
  std::string purpose = {};
};

/// The examples of a command; see Command::examples.
std::vector<Example> examples_of(const Command& command);

/// Formats the examples, indented, with each purpose as a comment above its command line. Breaks long lines
/// between words with "\" at the end, so that they can still be pasted.
std::string examples_text(const std::vector<Example>& examples, size_t width);

}  // namespace kml::cli
