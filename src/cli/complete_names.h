#pragma once

#include <set>
#include <string>
#include <vector>

#include "cli/context.h"

namespace kml::cli {

/// A word that may stand at the cursor.
struct CompletionValue {
  std::string text;  ///< the whole word
  std::string help = {};
};

/// What a name is asked for: the word or option at the cursor, and what stands before it.
struct NameQuestion {
  std::string path;             ///< the command's: "kml cancel"
  std::string name;             ///< of the words ("JOB") or of the option ("--priority")
  std::set<std::string> flags;  ///< the long names of those given
};

/// The names that fit there, as the cluster, the embedded server, the kubeconfig, the records or the folders
/// of templates have them; none if nothing lists them. The embedded server is not started for that. Throws
/// Error if a server cannot be asked.
std::vector<CompletionValue> names_for(Context& context, const NameQuestion& question);

}  // namespace kml::cli
