#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"

namespace kml::sweep {

/// A sweep configuration of Weights & Biases (docs.wandb.ai/models/sweeps/sweep-config-keys), converted to
/// kml.
struct ImportedSweep {
  Json document;                     ///< `kind: Sweep` without a trial; has the name from the file, if any
  std::vector<std::string> command;  ///< a trial's command, with macros such as ${args}: Placeholders::wandb
};

/// Whether the document is a file of Weights & Biases.
bool is_wandb(const Json& document);

/// `document` must keep 1.0 a real number, see yaml::python_json(). Its objective is empty if the file has no
/// metric. Throws one usage Error with every key or value that kml does not support or treats differently.
ImportedSweep import_wandb(const Json& document, std::string_view source);

}  // namespace kml::sweep
