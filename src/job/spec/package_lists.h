#pragma once

#include <span>
#include <vector>

#include "kml/base/error.h"
#include "kml/job/spec/setting.h"

namespace kml::spec {

/// The problems of --uv, --requirements and --conda that come from the same source, such as the command line:
/// a job installs the packages of one list. One in kml.yaml may be overridden by another one on the command
/// line.
std::vector<Problem> two_lists_of_packages(std::span<const Setting> settings);

}  // namespace kml::spec
