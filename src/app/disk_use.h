#pragma once

#include "kml/base/error.h"

namespace kml::cli {

/// If the error is that kml's own disk is full, adds to it which of kml's files use the space, the largest
/// first, and which commands remove them.
void explain_full_disk(Error& error);

}  // namespace kml::cli
