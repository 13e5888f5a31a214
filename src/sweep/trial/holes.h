#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kml/core/json.h"
#include "kml/sweep/engine/runner.h"
#include "kml/sweep/spec/sweep_spec.h"

namespace kml::sweep {

/// Whether a Katib trialParameter refers to its trial's manifest, as in ${trialSpec.Name}, and to no
/// parameter.
bool is_trial_reference(const std::string& reference);

/// What such a reference stands for: Name, the job's; Namespace, Kind, APIVersion, Labels[KEY] and
/// Annotations[KEY] of `trial`, its manifest. Empty if it is none of these, or the key is not there.
/// Source: Katib, pkg/controller.v1beta1/experiment/manifest/generator.go.
std::optional<std::string> trial_reference(const std::string& reference, const Json& trial,
                                           const std::string& job);

/// A part of a text: as it stands there, or the name of the hole that is there.
struct Piece {
  bool is_hole = false;
  std::string text;
};

/// What fills the holes of one trial.
struct Filling {
  std::map<std::string, Json> values;  ///< by hole; those of inactive parameters are absent
  std::vector<std::string> args;       ///< --lr=0.01, in the space's order
};

/// The holes that a sweep's manifest may have; see TrialTemplate. `spec` must outlive it.
class Holes {
 public:
  explicit Holes(const SweepSpec& spec);

  /// The text in pieces; one that is empty has none.
  std::vector<Piece> pieces(const std::string& text) const;
  Filling filling(const TrialJob& job) const;
  const std::set<std::string>& names() const { return names_; }

 private:
  std::string hole_at(const std::string& text, size_t at, size_t& end) const;

  const SweepSpec& spec_;
  std::set<std::string> names_;
};

/// A parameter's value as a command sees it.
std::string text_of(const Json& value);

}  // namespace kml::sweep
