#pragma once

#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/sweep/spec/sweep_spec.h"
#include "kml/sweep/trial/runner.h"

namespace kml::sweep {

/// A trial's manifest with placeholders. All texts except keys may contain
///
///     {lr}        the value of parameter lr; also {trial} (its number), {checkpoint} and {until}
///     {args}      --lr=0.01 --batch=32. As an item of a list: one item for each parameter. Inside a text:
///                 quoted for a shell
///     ${trialParameters.lr}    as in Katib
///
/// In a manifest of Katib (SweepSpec::placeholders), only the last form is a placeholder; in a command of
/// W&B, only items such as ${args} and ${args_json}. In both, ${kml.trial} and the like are placeholders,
/// too, for kml's own values.
///
/// If a text consists of one placeholder, it takes the value's type, except in command, args, env, name,
/// labels and annotations, which need texts. Other braces are kept, as in awk programs, JSON, and the shell's
/// ${lr}. An inactive parameter becomes an empty text.
class TrialTemplate {
 public:
  /// `spec` must outlive this object. Throws usage Error if a parameter has no placeholder, because it would
  /// have no effect. Also throws usage Error if trials are promoted but the manifest uses neither {until} nor
  /// the resource's name, because trials could not know how far to run.
  explicit TrialTemplate(const SweepSpec& spec);

  Json manifest(const TrialJob& job) const;
  /// The file to which the trial writes its metrics; empty if it writes them to its log.
  std::string metrics_file(const TrialJob& job) const;

 private:
  const SweepSpec& spec_;
};

/// Warnings about words in braces that are probably misspelled placeholders: "{bathc} is not a parameter, so
/// it is left unchanged; did you mean \"batch\"?" Ignores ${bathc}, which is left to the shell. Also warns if
/// a parameter is written as a shell variable: "${lr} is left to the shell; for the sweep's value, write
/// {lr}".
std::vector<std::string> holes_nearly_met(const SweepSpec& spec);

/// "lr1-t00042-r1-a0".
std::string job_name(const std::string& sweep, std::uint64_t trial, int rung, int attempt);

}  // namespace kml::sweep
