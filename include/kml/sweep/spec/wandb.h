#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kml/core/json.h"

namespace kml::sweep {

/// A sweep configuration of Weights & Biases (docs.wandb.ai/models/sweeps/sweep-config-keys), converted to
/// kml.
struct ImportedSweep {
  Json document;                     ///< `kind: Sweep` without a trial; with the file's name, if any
  std::vector<std::string> command;  ///< of a trial, with {args}
};

/// Whether the document is such a file, which has no `kind`.
bool is_wandb(const Json& document);

/// Throws one usage Error with every key or value that kml does not support or treats differently.
ImportedSweep import_wandb(const Json& document, std::string_view source);

}  // namespace kml::sweep
