#pragma once

#include <string>

#include "kml/base/json.h"
#include "kml/job/spec/submit_spec.h"

namespace kml::render {

/// Makes Open MPI pass on to the ranks the variables that flags have set in the launcher. Open MPI starts the
/// ranks through SSH, without the environment of their pods. Other implementations of MPI pass on the
/// launcher's environment by themselves. If kml cannot do this, returns what the user must do; otherwise
/// empty.
std::string pass_env_to_ranks(const spec::SubmitSpec& spec, Json& mpijob);

}  // namespace kml::render
