#pragma once

#include "kml/base/yaml.h"

namespace kml::yaml {

/// Makes to_json() read unquoted scalars as PyYAML does (yaml/resolver.py, YAML 1.1): `y`, `1e3`, `0o17` and
/// `08` are strings, and `1:30` is 90. Meant for files that PyYAML writes and reads.
void resolve_as_pyyaml(Node& node);

/// Converts a document as PyYAML would read it; 1.0 remains a real number. If the text is JSON, 1e3 is a real
/// number, too.
Json python_json(Node document, std::string_view source, bool is_json);

}  // namespace kml::yaml
