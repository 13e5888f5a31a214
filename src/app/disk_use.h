#pragma once

#include "kml/base/error.h"

namespace kml::cli {

/// If the error says that the disk with kml's files is full, adds which of those files use the space, the
/// largest first, and how to remove them.
void explain_full_disk(Error& error);

}  // namespace kml::cli
