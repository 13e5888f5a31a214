#pragma once

#include <functional>
#include <string>

#include "pipeline/kfp/binding.h"

namespace kml::pipeline::kfp {

/// Translates a condition of a compiled pipeline to kml's own form (see Expression). `input` returns the
/// task's input with that name. The grammar is that of the SDK's output:
///
///     C := T ((" && " | " || ") T)*    T := !(C) | (C) | O op O
///     O := inputs.parameter_values['k'] | int(O) | double(O) | 'text' | number | true | false
///
/// Throws usage Error for anything else.
std::string translated(const std::string& condition,
                       const std::function<const Binding&(const std::string& key)>& input);

}  // namespace kml::pipeline::kfp
