#pragma once

#include <map>
#include <string>
#include <vector>

namespace kml::pipeline::kfp {

/// Whether a command starts with the script that the SDK puts before a Python component. The script is for
/// `sh -c`; it installs packages with pip, and then runs the remaining words.
bool has_bootstrap(const std::vector<std::string>& words);

/// The script for use in a pod. If it would install kfp before version 2.5, which does not support artifacts
/// that are plain files, it installs kfp 2.5 instead. That version can run the pipelines that older versions
/// compiled.
std::string with_readable_kfp(std::string bootstrap);

/// Like with_readable_kfp(), but without the lines that create a new virtual environment in a temporary
/// folder for each command (the SDK's `use_venv`).
std::string installing_part(const std::string& bootstrap);

/// Runs a command in an environment that the script has filled, as packages::in_script_environment() does
/// with the first Python in PATH. That Python's own packages take the place of the packages in the image.
std::vector<std::string> in_environment(const std::string& bootstrap, const std::vector<std::string>& words);

/// Adds the Python to the parts of a key, because it can change the result, as the packages in the script
/// can.
void add_python(std::map<std::string, std::string>& parts);

}  // namespace kml::pipeline::kfp
