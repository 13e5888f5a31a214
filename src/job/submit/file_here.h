#pragma once

#include <string>
#include <vector>

namespace kml::job {

/// A note about the first word in a command that is the name of a file or Python module in the current
/// folder: a pod has that file only if its image contains it. Looks only at the first eight words, and at the
/// plain words in the text of `sh -c`. Empty if there is no such word.
std::string note_on_file_here(const std::vector<std::string>& command);

}  // namespace kml::job
