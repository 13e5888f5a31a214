#pragma once

#include <string>
#include <vector>

#include "kml/core/json.h"
#include "kml/render/template.h"
#include "kml/spec/submit_spec.h"

namespace kml::render {

struct Rendered {
  std::vector<Json> objects;       ///< in the order to create them
  std::vector<std::string> notes;  ///< for the user: "8 pods × 1 GPU"
};

/// The manifests of a template with the spec laid over the pods that it declares. Sets no namespace, and a
/// name only where the spec has one. Throws one Error (usage) with every problem.
Rendered render(const spec::SubmitSpec& spec, const Template& source);

/// The same for manifests as they are: the spec is laid over the pods of known kinds. Throws Error (usage)
/// where a flag has nothing to apply to.
Rendered render(const spec::SubmitSpec& spec, std::vector<Json> manifests);

/// Checks beyond parse_template(): fills the template in with its defaults, where they are enough. Throws one
/// Error (usage) with every problem.
void check_template(const Template& source);

}  // namespace kml::render
