#pragma once

#include <filesystem>
#include <string>

namespace kml::spec {

/// Whether a folder has the Python module, such as "package" or "package.train", or at least its top-level
/// package or module.
bool is_module_of(const std::filesystem::path& folder, const std::string& module);

}  // namespace kml::spec
