#pragma once

#include "kml/base/yaml.h"

namespace kml::yaml {

/// Makes to_json() keep the text of each scalar, except nulls, that it would change: 3.10, 007, 1e-7 and
/// `yes` become strings. Meant for values that must be texts, such as the words of a command.
void keep_texts(Node& node);

/// Like keep_texts(), but leaves booleans, and zeros such as 0.0, as they are, because conditions test
/// whether a value is false or 0. Meant for values that are later passed to commands.
void keep_number_texts(Node& node);

/// Makes to_json() keep the text of each boolean that is not written true or false: `on` and `No` become
/// strings. Meant for values that are later passed to commands, and that no condition tests.
void keep_boolean_texts(Node& node);

/// Makes to_json() keep the text of each key without a tag: `on` and 1.50 are names. Meant for files of kml
/// itself; in a manifest, Kubernetes reads such a key as a boolean or a number.
void keep_keys(Node& node);

/// Makes to_json() turn all scalars without a tag into strings, for fields of Kubernetes that are always
/// strings.
void make_strings(Node& node);

}  // namespace kml::yaml
