#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace kml {

/// Records that a damaged line of kml's own file `file` was left out, or the whole file if `line` is 0. The
/// command prints this when it ends, so that data is never missing silently. The record is global, because
/// readers are far from the code that prints. Not thread-safe.
void note_damage(const std::filesystem::path& file, size_t line = 0);

/// "FILE:LINE" or "FILE" for each recorded damage, without repetitions, in the order of the calls.
const std::vector<std::string>& noted_damage();

}  // namespace kml
