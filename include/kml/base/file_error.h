#pragma once

#include <filesystem>
#include <string_view>

#include "kml/base/error.h"

namespace kml {

/// The error "cannot VERB FILE". A file that kml itself keeps, in whose place something else stands, has a
/// fix: only whoever put it there knows what it is.
Error file_error(std::string_view verb, const std::filesystem::path& file, int errno_value);

}  // namespace kml
