#pragma once

#include <span>
#include <vector>

#include "kml/base/error.h"
#include "kml/job/spec/setting.h"

namespace kml::spec {

/// A problem if --uv, --requirements and --conda are combined in the same source, such as the command line,
/// because a job installs only one list of packages. A flag on the command line may override another one in
/// kml.yaml.
std::vector<Problem> two_lists_of_packages(std::span<const Setting> settings);

}  // namespace kml::spec
