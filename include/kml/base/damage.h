#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace kml {

/// Notes that a reader of kml's own files leaves out a damaged line of `file`, or the whole file if `line` is
/// 0. The command prints it when it ends, so that the data are not missing silently. Process-wide, because
/// the readers are far from the code that prints. Not thread-safe.
void note_damage(const std::filesystem::path& file, size_t line = 0);

/// "FILE:LINE" or "FILE" of each noted damage, once, in the order of note_damage().
const std::vector<std::string>& noted_damage();

}  // namespace kml
