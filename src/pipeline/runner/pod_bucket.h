#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"
#include "kml/net/s3/settings.h"
#include "pipeline/runner/step_pod.h"

namespace kml::pipeline {

/// How pods reach a bucket that this process reaches with `settings`: what kml-step needs, and the ConfigMaps
/// with it. `packed_s3` is kml-step-s3 as in PodPrograms. `suffix` ends their names.
///
/// The keys come from the pod: a Secret (env-from), or an identity of its service account or node. Region and
/// endpoint are this process's, unless the pod has variables for them.
struct PodBucket {
  StepPod::Bucket bucket;
  std::vector<Json> objects = {};
};
PodBucket pod_bucket(const s3::Settings& settings, std::string_view packed_s3, const std::string& suffix);

}  // namespace kml::pipeline
