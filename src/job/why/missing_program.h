#pragma once

#include "kml/base/json.h"
#include "kml/job/why/cause.h"

namespace kml::job {

/// If the image lacks a program that only kml needs, makes the cause say for which flag, and which image to
/// use: the user's own command may have no sh in it.
void name_missing_program(const Json& pod, Cause& cause);

}  // namespace kml::job
