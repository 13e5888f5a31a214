#pragma once

#include <string>
#include <vector>

#include "kml/core/json.h"
#include "kml/render/template.h"
#include "kml/spec/submit_spec.h"

namespace kml::jobs {

/// Flags that submit does not know but the template does: `--max_steps 500` is `-p max_steps=500`. Throws one
/// Error (usage) with all that neither knows.
std::vector<spec::Setting> as_parameters(const std::vector<spec::UnknownFlag>& unknown,
                                         const std::vector<render::Parameter>& parameters);

/// Throws Error (usage) where nothing says what to run; and a cluster needs an image to run it in.
void require_something_to_run(const std::vector<Json>& objects, const spec::SubmitSpec& spec,
                              const std::string& usage, bool is_local);

/// The embedded server has the controllers of Jobs and PyTorchJobs, and no other.
void require_local_kinds(const std::vector<Json>& objects);

/// Of those that name none. Throws Error (usage) where one names another than the one that `is_given` by a
/// flag.
void set_namespace(std::vector<Json>& objects, const std::string& wanted, bool is_given);

}  // namespace kml::jobs
