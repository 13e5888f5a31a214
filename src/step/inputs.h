#pragma once

#include "step/options.h"

namespace kml::step {

/// Unpacks an input to its place if it comes packed, and checks its digest. Exits with kInputGone if the
/// digest differs.
void bring(const InputPlace& input, const std::string& packed);

/// The content of the files 00, 01, and so on in the folder, in this order.
std::string packed_bytes(const std::string& folder);

}  // namespace kml::step
