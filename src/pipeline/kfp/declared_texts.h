#pragma once

#include "kml/base/yaml.h"

namespace kml::pipeline::kfp {

/// In a compiled file, converts to texts those unquoted scalars that must be texts at their position: values
/// of STRING parameters, words of commands and values of variables. Values of number parameters become texts
/// too, from which typed() makes numbers: as JSON, -0.0 and large integers would change.
void keep_declared_texts(yaml::Node& document);

}  // namespace kml::pipeline::kfp
