#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/core/json.h"

namespace kml::pipeline::kfp {

/// Calls `value_of` with what stands between "{{$." and "}}", or with "" for "{{$}}", and puts its text
/// there. What a value contains is not looked at again.
std::string substituted(std::string_view text,
                        const std::function<std::string(const std::string& name)>& value_of);

/// "k" of "inputs.parameters['k']", where `group` is "inputs.parameters"; empty for any other name.
std::string key_in(const std::string& name, std::string_view group);

/// A value as it stands inside a text: a string as it is, others as JSON.
std::string text_of(const Json& value);

/// Arguments with `{"Concat": [...]}` and `{"IfPresent": {...}}` carried out; other placeholders remain.
/// Throws Error (usage) for one that is malformed.
std::vector<std::string> unfolded(const std::vector<std::string>& arguments,
                                  const std::function<bool(const std::string& input)>& is_present);

}  // namespace kml::pipeline::kfp
