#pragma once

#include "kml/base/yaml.h"

namespace kml::pipeline::kfp {

/// In a compiled file, turns unquoted scalars into texts where the position requires a text: values of STRING
/// parameters, words in commands, and values of variables. Values of number parameters become texts, too;
/// typed() turns these into numbers. If they were read as JSON, -0.0 and large integers would change.
void keep_declared_texts(yaml::Node& document);

}  // namespace kml::pipeline::kfp
