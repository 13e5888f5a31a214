#pragma once

#include "kml/base/shared_library.h"

namespace kml::local {

/// GnuTLS, loaded and initialized at the first call. Throws Error if it cannot be.
const SharedLibrary& gnutls();

}  // namespace kml::local
