#pragma once

#include <string>
#include <vector>

#include "kml/base/json.h"

namespace kml::mcp {

/// A call's arguments as they are written to the audit log, and the texts that were left out.
struct Audited {
  Json arguments;
  std::vector<std::string> hidden;

  /// The text with "…" in place of the hidden texts.
  std::string without_hidden(std::string text) const;
};

/// Leaves out the values of variables, in whatever form they were sent, because they may be secrets, and what
/// looks like a secret in the other arguments. Keeps the names of variables. A text that may be either, such
/// as an element of the list `secret`, is a name if it has no small letters. Shortens arguments that are
/// longer than 16 KiB, and says what was cut.
Audited audited(const Json& arguments);

}  // namespace kml::mcp
