#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kml/core/json.h"

namespace kml::sweep {

/// A sweep configuration of Weights & Biases (docs.wandb.ai/models/sweeps/sweep-config-keys), as one of kml.
struct ImportedSweep {
  Json document;                     ///< `kind: Sweep` without a trial; its name where the file has one
  std::vector<std::string> command;  ///< of a trial, with {args}
};

/// Such files name no kind.
bool is_wandb(const Json& document);

/// Throws one usage Error with every key or value that means something else here, or nothing.
ImportedSweep import_wandb(const Json& document, std::string_view source);

}  // namespace kml::sweep
