#pragma once

#include "step/options.h"

namespace kml::step {

/// If an input is packed, unpacks it to its place. Checks its digest, and exits with kInputGone if the digest
/// is different.
void bring(const InputPlace& input, const std::string& packed);

/// The contents of the files 00, 01, and so on in the folder, in this order.
std::string packed_bytes(const std::string& folder);

}  // namespace kml::step
