#pragma once

#include <string>
#include <vector>

#include "kml/core/json.h"
#include "kml/sweep/engine/runner.h"
#include "kml/sweep/spec/sweep_spec.h"

namespace kml::sweep {

/// A trial's manifest with holes. In any text of it, keys excepted,
///
///     {lr}        the value of parameter lr; also {trial}, its number, {checkpoint} and {until}
///     {args}      --lr=0.01 --batch=32: as an item of a list, one item a parameter; within a text, quoted
///                 for a shell
///     ${trialParameters.lr}    as in Katib
///
/// A text that is one hole keeps the value's type, but in command, args and env, which hold texts. Braces
/// around anything else stay: awk and JSON are whole; and ${lr}, which is a shell's. A parameter that is
/// inactive leaves an empty text.
class TrialTemplate {
 public:
  /// `spec` must outlive it. Throws usage Error if a parameter has no hole: it would change nothing; and
  /// where trials are promoted and none is told how far to run, by {until} or the resource's name.
  explicit TrialTemplate(const SweepSpec& spec);

  Json manifest(const TrialJob& job) const;
  /// Where the trial writes its metrics; empty if that is its log.
  std::string metrics_file(const TrialJob& job) const;

 private:
  const SweepSpec& spec_;
};

/// Words in braces that fill no hole, but are nearly the name of one: "{bathc} stays as it is; did you mean
/// \"batch\"?" Not ${bathc}, which is a shell's. And names of holes that a shell has: "${lr} is left to the
/// shell; {lr} would be the sweep's".
std::vector<std::string> holes_nearly_met(const SweepSpec& spec);

/// "lr1-t00042-r1-a0".
std::string job_name(const std::string& sweep, std::uint64_t trial, int rung, int attempt);

}  // namespace kml::sweep
