#pragma once

#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/job/spec/submit_spec.h"

namespace kml::render {

/// Applies the spec to a PodTemplateSpec (or a Pod) and to its first container. Throws usage Error if there
/// is no container. Without `with_command`, the container keeps its own command.
void overlay_pod(const spec::SubmitSpec& spec, Json& pod_template, bool with_command);

/// Requests the GPUs: sets the container's resource, a node affinity for the GPU type, and a toleration for
/// the taint of GPU nodes.
void overlay_gpus(const spec::Gpus& gpus, Json& pod, Json& container);

/// Adds the user's code: an init container unpacks it into a folder, in which the container then starts.
void overlay_code(const spec::SubmitSpec& spec, Json& pod, Json& container);

/// The spec of a PersistentVolumeClaim for a mount of a new claim, with this access mode.
Json new_claim_spec(const spec::Mount& mount, const char* access);

/// The number of GPUs that all containers of a PodTemplateSpec, or a TrainJob's trainer, request.
int gpus_of(const Json& pod_template);

/// Doubles each `$` where Kubernetes would replace `$$` with `$`. `$(NAME)` is still replaced by the
/// variable's value (k8s.io/kubernetes/third_party/forked/golang/expansion).
std::string escape_dollars(const std::string& text);

}  // namespace kml::render
