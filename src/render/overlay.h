#pragma once

#include <string>
#include <vector>

#include "kml/core/json.h"
#include "kml/render/problems.h"
#include "kml/spec/submit_spec.h"

namespace kml::render {

/// Lays the spec over a PodTemplateSpec (or a Pod): the pod, and its first container. Throws Error (usage)
/// if there is no container. Without `with_command` the container keeps its own.
void overlay_pod(const spec::SubmitSpec& spec, Json& pod_template, bool with_command);

/// The part about GPUs: the container's resource, the nodes that have the type, and the toleration of their
/// taint.
void overlay_gpus(const spec::Gpus& gpus, Json& pod, Json& container);

/// The part about the user's code: an init container unpacks it into a folder of the pod, which is where the
/// container starts.
void overlay_code(const spec::SubmitSpec& spec, Json& pod, Json& container);

/// The same for a TrainJob, which has a part of a PodTemplateSpec's fields, elsewhere. A flag for which it
/// has none is a problem.
void overlay_trainjob(const spec::SubmitSpec& spec, Json& trainjob, bool with_command, Problems& problems);

/// Number of GPUs that all containers of a PodTemplateSpec, or a TrainJob's trainer, ask for.
int gpus_of(const Json& pod_template);

/// The value with its `$` doubled where Kubernetes would take two of them for one; `$(NAME)` still stands for
/// the variable (k8s.io/kubernetes/third_party/forked/golang/expansion).
std::string escape_dollars(const std::string& text);

}  // namespace kml::render
