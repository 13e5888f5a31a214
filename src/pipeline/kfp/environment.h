#pragma once

#include <map>
#include <string>
#include <vector>

namespace kml::pipeline::kfp {

/// Whether a command begins with what the SDK puts before a component of its own: a script for `sh -c` that
/// installs packages by pip, and then runs the other words.
bool has_bootstrap(const std::vector<std::string>& words);

/// Such a script as it is run in a pod. Before kfp 2.5 the SDK knew no artifacts that are plain files: 2.5 is
/// installed in place of these, and reads what they compile.
std::string with_readable_kfp(std::string bootstrap);

/// The same without the lines that make a virtual environment of its own in a temporary folder, each
/// time (`use_venv` of the SDK).
std::string installing_part(const std::string& bootstrap);

/// A command in a virtual environment, which the script has filled: state_folder()/venvs/KEY, where the key
/// is of the script and of the Python that is first in PATH. It is made when the first command needs it,
/// once.
std::vector<std::string> in_environment(const std::string& bootstrap, const std::vector<std::string>& words);

/// What decides a result beside the packages that the script names: the Python.
void add_python(std::map<std::string, std::string>& parts);

}  // namespace kml::pipeline::kfp
