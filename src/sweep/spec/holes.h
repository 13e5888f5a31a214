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

/// Whether a Katib trialParameter refers to the trial's manifest, as in ${trialSpec.Name}, and not to a
/// parameter.
bool is_trial_reference(const std::string& reference);

/// The value of a reference to the trial's manifest. Name is the name of the job. Namespace, Kind,
/// APIVersion, Labels[KEY] and Annotations[KEY] come from `trial`, the trial's manifest. Empty for any other
/// reference, or if the key is missing. As in Katib, pkg/controller.v1beta1/experiment/manifest/generator.go.
std::optional<std::string> trial_reference(const std::string& reference, const Json& trial,
                                           const std::string& job);

/// A part of a text: either literal text or the name of a hole.
struct Piece {
  bool is_hole = false;
  std::string text;
};

/// The values with which the holes are filled for one trial.
struct Filling {
  std::map<std::string, Json> values;  ///< the key is the placeholder; leaves out inactive parameters
  /// All active parameters as words, by the name of W&B's macro: "args" has --lr=0.01 and so on, in the order
  /// of the space.
  std::map<std::string, std::vector<std::string>> lists;
};

/// Finds the placeholders in a sweep's manifest and fills them. TrialTemplate describes their syntax. `spec`
/// must outlive this object.
class Holes {
 public:
  explicit Holes(const SweepSpec& spec) : Holes(spec, spec.placeholders) {}
  /// Uses the given placeholders, not those in the spec.
  Holes(const SweepSpec& spec, Placeholders placeholders);

  /// Splits the text into pieces. An empty text has no pieces.
  std::vector<Piece> pieces(const std::string& text) const;
  /// If several words replace this item of a list, the key of these words in Filling::lists; otherwise empty.
  std::string list_at(const Json& item) const;
  Filling filling(const TrialJob& job) const;
  /// A parameter's value in the form in which a command receives it.
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
