#pragma once

#include "kml/base/shared_library.h"

namespace kml::local {

/// GnuTLS, which is loaded and initialized by the first call. Throws Error if that fails.
const SharedLibrary& gnutls();

}  // namespace kml::local
