#pragma once

#include "kml/base/yaml.h"

namespace kml::pipeline {

/// Keeps the texts of flags and their entries, as kml.yaml does. A value with a structure remains JSON.
void keep_flag_texts(yaml::Node& flags);

}  // namespace kml::pipeline
