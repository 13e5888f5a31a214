#pragma once

#include <set>
#include <string>
#include <vector>

#include "kml/job/views/ownership.h"
#include "kml/kube/client/client.h"
#include "kml/sweep/runner/sweep_objects.h"
#include "kml/sweep/spec/sweep_spec.h"

namespace kml::sweep {

/// The sweep's objects of these names; `manifest` is of their kind.
std::vector<Json> trial_objects(kube::Client& client, const SweepMarks& sweep, const Json& manifest,
                                const std::set<std::string>& names);

/// A label selector of pods of trials whose kind kml does not know; it may find other pods too. `trials` are
/// the trials' objects; if there is only one, `trial` is its number.
///
/// Most operators pass on the labels of an object to its pods. For the others, the pods must have a label
/// with the object's name, as the engine requires, too; this finds that label among the pods that have the
/// primaryPodLabels of the sweep.
std::string trial_pod_selector(kube::Client& client, const SweepMarks& sweep,
                               const TrialConditions& conditions, const std::vector<Json>& trials,
                               const std::string& trial = {});

}  // namespace kml::sweep
