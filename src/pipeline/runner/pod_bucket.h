#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"
#include "kml/net/s3/settings.h"
#include "pipeline/runner/step_pod.h"

namespace kml::pipeline {

/// How pods reach the bucket that this process reaches with `settings`: the settings that kml-step needs, and
/// ConfigMaps with kml-step-s3 and with CA certificates. `packed_s3` is kml-step-s3, as in PodPrograms. The
/// names end with `suffix`. The keys come from the pod: from a Secret (env-from), or from an identity of its
/// service account or node. The region and the endpoint are those of this process, unless the pod has
/// variables for them.
struct PodBucket {
  StepPod::Bucket bucket;
  std::vector<Json> objects = {};
};
PodBucket pod_bucket(const s3::Settings& settings, std::string_view packed_s3, const std::string& suffix);

}  // namespace kml::pipeline
