#pragma once

#include <set>
#include <string>
#include <vector>

#include "kml/job/views/ownership.h"
#include "kml/kube/client/client.h"
#include "kml/sweep/runner/sweep_objects.h"
#include "kml/sweep/spec/sweep_spec.h"

namespace kml::sweep {

/// The sweep's objects with these names. `manifest` is of the same kind.
std::vector<Json> trial_objects(kube::Client& client, const SweepMarks& sweep, const Json& manifest,
                                const std::set<std::string>& names);

/// A label selector for the pods of trials whose kind kml does not know; it may select other pods, too.
/// `trials` are the objects of the trials; if there is only one, `trial` is its number. Most operators copy
/// the labels of an object to its pods. Pods of other operators must have a label with the object's name.
/// Finds that label on the pods that have the sweep's primaryPodLabels.
std::string trial_pod_selector(kube::Client& client, const SweepMarks& sweep,
                               const TrialConditions& conditions, const std::vector<Json>& trials,
                               const std::string& trial = {});

}  // namespace kml::sweep
