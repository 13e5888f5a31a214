#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"

namespace kml::pipeline::kfp {

/// Replaces each placeholder by the result of `value_of`, which is called with the text between "{{$." and
/// "}}", or with "" for "{{$}}". Placeholders inside values are not replaced.
std::string substituted(std::string_view text,
                        const std::function<std::string(const std::string& name)>& value_of);

/// The key in a name: "k" for "inputs.parameters['k']" if `group` is "inputs.parameters". Empty for other
/// names.
std::string key_in(const std::string& name, std::string_view group);

/// A value for use inside a text: a string unchanged, other values as JSON.
std::string text_of(const Json& value);

/// Evaluates `{"Concat": [...]}` and `{"IfPresent": {...}}` in arguments; other placeholders remain. Throws
/// usage Error for a malformed one.
std::vector<std::string> unfolded(const std::vector<std::string>& arguments,
                                  const std::function<bool(const std::string& input)>& is_present);

}  // namespace kml::pipeline::kfp
