#pragma once

#include <cstdlib>

#include "kml/base/agent.h"

namespace kml::job {

/// A variable that a command sets for the engines that it starts, if they must send code without hidden
/// files.
inline constexpr const char* kWithoutHiddenFiles = "KML_WITHOUT_HIDDEN_FILES";

/// The key in the request of a plan that was made for an agent.
inline constexpr const char* kOfAgent = "ofAgent";

/// Whether code is sent without hidden files. Hidden files may have passwords, and an agent's job could print
/// them. Whoever applies an agent's plan must send the same code.
inline bool leaves_out_hidden_files() {
  return runs_for_agent() || std::getenv(kWithoutHiddenFiles) != nullptr;
}

inline void leave_out_hidden_files() {
  ::setenv(kWithoutHiddenFiles, "1", 1);
}

}  // namespace kml::job
