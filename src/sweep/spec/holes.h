#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/sweep/spec/sweep_spec.h"
#include "kml/sweep/trial/runner.h"

namespace kml::sweep {

/// Whether a Katib trialParameter refers to its trial's manifest, as in ${trialSpec.Name}, instead of a
/// parameter.
bool is_trial_reference(const std::string& reference);

/// The value of such a reference: Name is that of the job; Namespace, Kind, APIVersion, Labels[KEY] and
/// Annotations[KEY] are those of `trial`, its manifest. Empty for anything else, or if the key is missing.
/// Source: Katib, pkg/controller.v1beta1/experiment/manifest/generator.go.
std::optional<std::string> trial_reference(const std::string& reference, const Json& trial,
                                           const std::string& job);

/// A part of a text: literal text, or the name of a hole.
struct Piece {
  bool is_hole = false;
  std::string text;
};

/// The values for the holes of one trial.
struct Filling {
  std::map<std::string, Json> values;  ///< by hole; without those of inactive parameters
  /// All active parameters as words, by the names of W&B's macros: "args" is --lr=0.01, in the space's order.
  std::map<std::string, std::vector<std::string>> lists;
};

/// Finds and fills the placeholders of a sweep's manifest; see TrialTemplate for their syntax. `spec` must
/// outlive this object.
class Holes {
 public:
  explicit Holes(const SweepSpec& spec) : Holes(spec, spec.placeholders) {}
  /// With the given placeholders in place of the spec's.
  Holes(const SweepSpec& spec, Placeholders placeholders);

  /// Splits the text into pieces. An empty text has none.
  std::vector<Piece> pieces(const std::string& text) const;
  /// The name in Filling::lists of the words that take the place of this item of a list; empty if none do.
  std::string list_at(const Json& item) const;
  Filling filling(const TrialJob& job) const;
  /// A parameter's value as a command receives it.
  std::string text(const Json& value) const;
  Placeholders placeholders() const { return placeholders_; }
  const std::set<std::string>& names() const { return names_; }

 private:
  std::string hole_at(const std::string& text, size_t at, size_t& end) const;

  const SweepSpec& spec_;
  const Placeholders placeholders_;
  std::set<std::string> names_;
};

}  // namespace kml::sweep
