#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/context.h"
#include "cli/submit_request.h"
#include "kml/core/json.h"

namespace kml::cli {

/// The job of one trial, without its name.
struct TrialOfSweep {
  Json manifest;
  std::vector<jobs::Belonging> secrets;  ///< for all trials
  std::vector<std::string> notes;        ///< for the user
};

/// What submit would send for the flags, laid over `manifest` where that is an object, else over a template;
/// what it brings along is named after the sweep. Throws Error (usage).
TrialOfSweep trial_of(Context& context, SubmitFlags flags, const std::string& sweep, const Json& manifest);

/// What `kml sweep run` was asked for.
struct SweepRequest {
  std::vector<std::string> names;  ///< at most one
  std::string file;                ///< -f
  std::string standard_input;      ///< where the file is "-"
  std::vector<std::string> parameters, constraints;
  std::string maximize, minimize, algorithm, early_stopping, mode, fidelity, fan_out, checkpoints,
      metrics_file;
  std::optional<long long> trials, parallel, seed;
  std::string goal, gpu_hours;
  std::optional<std::chrono::seconds> time;
  bool deterministic = false;
  bool replace = false;  ///< it is a new one, whatever sweep of its name there is
  SubmitFlags submit;    ///< the trial's job
};

/// Flags that may change when a sweep continues.
void add_budget_flags(Command& command, SweepRequest& request);
void add_sweep_flags(Command& command, SweepRequest& request);

/// Where a sweep is written, for messages.
std::string source_of(const SweepRequest& request);

/// What a sweep's document calls it; empty if it does not.
std::string sweep_name(const Json& document);

struct SweepDocument {
  Json document;  ///< in kml's own format
  std::vector<jobs::Belonging> secrets;
  std::vector<std::string> notes;
  bool is_as_begun = false;  ///< but for what flags say: its trials are those of a sweep that is there
};

/// The sweep that the file describes, or one made of the flags, which go before what the file says. Without a
/// file, a command and parameters, a sweep of that name that has begun. Throws Error (usage).
SweepDocument sweep_document(Context& context, SweepRequest request);

}  // namespace kml::cli
