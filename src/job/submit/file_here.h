#pragma once

#include <string>
#include <vector>

namespace kml::job {

/// A note about the first word of a command that names a file of the current folder, or a Python module
/// there: a pod has that file only if the image contains it. Empty if no word does.
std::string note_on_file_here(const std::vector<std::string>& command);

}  // namespace kml::job
