#pragma once

#include <functional>
#include <string>

namespace trainer {

/// Which of how many processes this one is, and which variable says so.
struct Launch {
  int rank = 0;
  int world = 1;
  std::string source;  ///< e.g. "WORLD_SIZE", or "single process"
};

/// A pure function of the environment. `get` returns a variable's value, or null.
/// Throws Error (exit code 2) for a value that is not understood.
Launch find_launch(const std::function<const char*(const char*)>& get);

}  // namespace trainer
