#pragma once

#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/job/spec/submit_spec.h"

namespace kml::render {

/// Applies the spec to a PodTemplateSpec (or a Pod) and its first container. Throws Error (usage) if it has
/// no container. Without `with_command` the container keeps its command.
void overlay_pod(const spec::SubmitSpec& spec, Json& pod_template, bool with_command);

/// Applies the GPUs: the container's resource, node affinity for the type, and the toleration of the nodes'
/// taint.
void overlay_gpus(const spec::Gpus& gpus, Json& pod, Json& container);

/// Applies the user's code: an init container unpacks it into a folder, which becomes the container's working
/// folder.
void overlay_code(const spec::SubmitSpec& spec, Json& pod, Json& container);

/// The number of GPUs that all containers of a PodTemplateSpec, or a TrainJob's trainer, request.
int gpus_of(const Json& pod_template);

/// Doubles `$` where Kubernetes would replace `$$` with `$`. `$(NAME)` still expands to the variable
/// (k8s.io/kubernetes/third_party/forked/golang/expansion).
std::string escape_dollars(const std::string& text);

}  // namespace kml::render
