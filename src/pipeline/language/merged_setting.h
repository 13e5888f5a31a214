#pragma once

#include "kml/base/yaml.h"

namespace kml::pipeline {

/// Replaces a setting by a later one. If both are maps, they are merged.
void lay_setting_over(yaml::Node& below, const yaml::Node& above);

}  // namespace kml::pipeline
