#pragma once

#include <string>

#include "job/packages/requested.h"
#include "job/packages/uv.h"

namespace kml::packages {

/// The versions and hashes of all packages, in the form of a requirements file that is valid for every
/// processor, and for every Python since `python`, such as "3.11". If the request has settings that need
/// trust, require_trust() must have accepted it. Throws Error with uv's reason if there is no solution.
std::string resolve(const Uv& uv, const Requested& requested, const std::string& python);

}  // namespace kml::packages
