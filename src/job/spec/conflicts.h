#pragma once

#include <span>
#include <vector>

#include "kml/base/error.h"
#include "kml/job/spec/setting.h"

namespace kml::spec {

/// A problem for each pair of settings from the same source, such as the command line, of which kml could
/// obey only one: mounts at the same path, --shm and a mount at its path, and node selectors with different
/// values for a label. A flag on the command line may override a value in kml.yaml.
std::vector<Problem> conflicts_in(std::span<const Setting> settings);

}  // namespace kml::spec
