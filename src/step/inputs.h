#pragma once

#include "step/options.h"

namespace kml::step {

/// If an input is packed, unpacks it to its place. Exits with kInputGone if the archive is invalid, or if the
/// input is missing or has a different digest.
void bring(const InputPlace& input, const std::string& packed);

/// The contents of the files 00, 01, and so on in the folder, in this order.
std::string packed_bytes(const std::string& folder);

}  // namespace kml::step
