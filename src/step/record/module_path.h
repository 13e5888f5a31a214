#pragma once

#include <string>
#include <vector>

namespace kml::step {

/// The folders in which a process of Python searches for modules first (the start of sys.path): the folder of
/// its script or, without a script, the current folder, then those in PYTHONPATH. A script that does not
/// exist has an empty folder. The list is empty if the process does not run Python.
std::vector<std::string> module_path_of(int thread);

}  // namespace kml::step
