#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"

namespace kml::sweep {

/// A Weights & Biases sweep configuration (docs.wandb.ai/models/sweeps/sweep-config-keys), converted to kml's
/// form.
struct ImportedSweep {
  /// a `kind: Sweep` without a trial; has a name made from the one in the file, if there is one
  Json document;
  /// the command of a trial, with macros such as ${args}: Placeholders::wandb
  std::vector<std::string> command;
  std::set<std::string> variables;  ///< the names in ${envvar:NAME} of the command
};

/// Whether the document is a Weights & Biases sweep configuration.
bool is_wandb(const Json& document);

/// In `document`, 1.0 must still be a real number, see yaml::python_json(). If the file has no metric, the
/// objective is empty. Throws a single usage Error with all keys and values that kml does not support, or
/// that mean something else in kml.
ImportedSweep import_wandb(const Json& document, std::string_view source);

/// A note for each variable of a W&B command that W&B's agent would take from its own environment, but that
/// the trials do not get. `is_set_here` says whether a variable is set in the environment of kml.
std::vector<std::string> notes_on_variables(const std::set<std::string>& variables, const Json& trial,
                                            const std::function<bool(const std::string&)>& is_set_here);

}  // namespace kml::sweep
