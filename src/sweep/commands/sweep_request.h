#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/context.h"
#include "job/commands/submit_request.h"
#include "kml/base/json.h"

namespace kml::cli {

/// The job of a trial without a name.
struct TrialOfSweep {
  Json manifest;
  std::vector<job::Belonging> secrets;  ///< the Secrets that all trials share
  std::vector<std::string> notes;       ///< notes for the user
  Json packages;                        ///< see SubmitPlan
};

/// Creates what `kml submit` would send for these flags. If `manifest` is an object, applies the flags to it,
/// otherwise to a template. Other created objects are named after the sweep. Throws usage Error. With
/// `complete`, other parts of kml add to the plan.
using CompletePlan = std::function<void(job::SubmitPlan& plan, const std::string& sweep)>;
TrialOfSweep trial_of(Context& context, SubmitFlags flags, const std::string& sweep, const Json& manifest,
                      const CompletePlan& complete);

/// The request of `kml sweep run`.
struct SweepRequest {
  std::vector<std::string> names;  ///< the names on the command line, at most one
  std::string file;                ///< -f
  std::string standard_input;      ///< the content of the file, if the file is "-"
  std::vector<std::string> parameters, constraints;
  std::vector<std::string> maximize, minimize;  ///< metrics
  std::string algorithm, early_stopping, mode, fidelity, fan_out, checkpoints, metrics_file;
  std::optional<long long> trials, parallel, seed;
  std::string goal, gpu_hours;
  std::optional<std::chrono::seconds> time;
  bool deterministic = false;
  bool replace = false;                  ///< start a new sweep even if a sweep with that name exists
  bool dry_run = false;                  ///< do not start a server
  SubmitFlags submit;                    ///< flags for the job of the trial
  std::set<std::string> variables = {};  ///< the names in ${envvar:NAME} of a W&B file's command
  CompletePlan complete = {};
};

/// Where the sweep's document comes from, for messages.
std::string source_of(const SweepRequest& request);

/// The sweep's name in the document; empty if it has none.
std::string sweep_name(const Json& document);

struct SweepDocument {
  Json document;  ///< the sweep's document in kml's own format
  std::vector<job::Belonging> secrets;
  std::vector<std::string> notes;
  bool is_as_begun = false;  ///< whether the sweep exists already, and is only changed by flags
  Json packages = {};        ///< what is recorded about the packages of the trials; null without packages
};

/// The sweep from the file or the flags; flags take precedence. If neither a file nor a command with
/// parameters is given, returns the existing sweep with that name. Throws usage Error.
SweepDocument sweep_document(Context& context, SweepRequest request);

}  // namespace kml::cli
