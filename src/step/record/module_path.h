#pragma once

#include <string>
#include <vector>

namespace kml::step {

/// The folders in which a process of Python searches for modules first (the start of sys.path): the folder of
/// its script, and those in PYTHONPATH. Empty if the process does not run Python, or if the folders are not
/// certain.
std::vector<std::string> module_path_of(int thread);

}  // namespace kml::step
