#pragma once

#include "step/options.h"

namespace kml::step {

/// Puts an input to its place, where it comes packed, and checks its digest. Gives up with kInputGone if it
/// is not what it was.
void bring(const InputPlace& input, const std::string& packed);

}  // namespace kml::step
