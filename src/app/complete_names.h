#pragma once

#include <set>
#include <string>
#include <vector>

#include "cli/context.h"

namespace kml::cli {

/// A completion for the word at the cursor.
struct CompletionValue {
  std::string text;  ///< the whole word
  std::string help = {};
};

/// The context of a completion: the word or option at the cursor, and the words before it.
struct NameQuestion {
  std::string path;             ///< the command's path: "kml cancel"
  std::string name;             ///< name of the argument ("JOB") or option ("--priority")
  std::set<std::string> flags;  ///< the long names of the flags already given
};

/// The names that complete the word at the cursor, such as jobs or runs. Empty if the names are on the
/// embedded server, and it is not running.
std::vector<CompletionValue> names_for(Context& context, const NameQuestion& question);

}  // namespace kml::cli
