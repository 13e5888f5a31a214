#pragma once

#include <string>
#include <vector>

#include "kml/jobs/sweep/sweep_objects.h"
#include "kml/kube/client.h"
#include "kml/sweep/spec/sweep_spec.h"

namespace kml::jobs {

/// A label selector of pods of trials whose kind kml does not know. `jobs` are the names of the trials'
/// objects; if there is only one, `trial` is its number.
///
/// Most operators pass on the labels of an object to its pods. For the others, the pods must have a label
/// with the object's name, as the engine requires, too; this finds that label among the pods that have the
/// primaryPodLabels of the sweep.
std::string trial_pod_selector(kube::Client& client, const SweepMarks& sweep,
                               const sweep::TrialConditions& conditions, const std::vector<std::string>& jobs,
                               const std::string& trial = {});

}  // namespace kml::jobs
