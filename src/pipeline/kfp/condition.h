#pragma once

#include <functional>
#include <string>

#include "pipeline/kfp/binding.h"

namespace kml::pipeline::kfp {

/// A condition of a compiled pipeline as kml's own (see Expression). `input` gives the task's input of that
/// name. The grammar is what the SDK writes:
///
///     C := T (" && " | " || " T)*    T := !(C) | (C) | O op O
///     O := inputs.parameter_values['k'] | int(O) | double(O) | 'text' | number | true | false
///
/// Throws usage Error for anything else.
std::string translated(const std::string& condition,
                       const std::function<const Binding&(const std::string& key)>& input);

}  // namespace kml::pipeline::kfp
