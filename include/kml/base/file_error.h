#pragma once

#include <filesystem>
#include <string_view>

#include "kml/base/error.h"

namespace kml {

/// The Error "cannot VERB FILE". If a folder or a link is at the path of a file that kml itself keeps, the
/// Error has a fix.
Error file_error(std::string_view verb, const std::filesystem::path& file, int errno_value);

}  // namespace kml
