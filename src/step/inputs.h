#pragma once

#include "step/options.h"

namespace kml::step {

/// Unpacks an input to its place if it comes packed, and checks its digest. Exits with kInputGone if the
/// digest differs.
void bring(const InputPlace& input, const std::string& packed);

}  // namespace kml::step
