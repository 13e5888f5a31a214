#pragma once

#include <filesystem>
#include <string_view>

#include "kml/base/error.h"

namespace kml {

/// The error "cannot VERB FILE". If something else stands in place of a file that kml itself keeps, the error
/// has a fix, because kml cannot know what that is.
Error file_error(std::string_view verb, const std::filesystem::path& file, int errno_value);

}  // namespace kml
