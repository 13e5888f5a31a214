#pragma once

#include <map>
#include <string>
#include <vector>

namespace kml::pipeline::kfp {

/// Whether a command starts with the script that the SDK puts before a Python component: for `sh -c`,
/// installs packages with pip and then runs the remaining words.
bool has_bootstrap(const std::vector<std::string>& words);

/// The script for a pod. Versions of kfp before 2.5 did not support artifacts that are plain files, so the
/// script installs 2.5 in their place, which can run pipelines that they compiled.
std::string with_readable_kfp(std::string bootstrap);

/// The same without the lines that make a new virtual environment in a temporary folder for each command
/// (`use_venv` of the SDK).
std::string installing_part(const std::string& bootstrap);

/// Runs a command in a virtual environment that the script has filled: state_folder()/venvs/KEY, where KEY
/// depends on the script and on the first Python in PATH. The environment is made once, when the first
/// command needs it. The packages of that Python's environment take the place of those in the image.
std::vector<std::string> in_environment(const std::string& bootstrap, const std::vector<std::string>& words);

/// Adds the Python to the parts of a key: besides the packages in the script, it can change the result.
void add_python(std::map<std::string, std::string>& parts);

}  // namespace kml::pipeline::kfp
