#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"

namespace kml::pipeline::kfp {

/// Replaces each placeholder by the result of `value_of`, which is called with the text between "{{$." and
/// "}}"; for "{{$}}", it is called with "". Does not replace placeholders in the values.
std::string substituted(std::string_view text,
                        const std::function<std::string(const std::string& name)>& value_of);

/// The key in a name of this group: "k" for "inputs.parameters['k']" and the group "inputs.parameters". Empty
/// for other names.
std::string key_in(const std::string& name, std::string_view group);

/// A value for use inside a text: a string is unchanged, other values become JSON.
std::string text_of(const Json& value);

/// Evaluates `{"Concat": [...]}` and `{"IfPresent": {...}}` in arguments, and keeps other placeholders.
/// Throws usage Error if one is malformed.
std::vector<std::string> unfolded(const std::vector<std::string>& arguments,
                                  const std::function<bool(const std::string& input)>& is_present);

}  // namespace kml::pipeline::kfp
