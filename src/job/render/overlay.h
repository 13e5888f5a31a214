#pragma once

#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/job/spec/submit_spec.h"

namespace kml::render {

/// Applies the spec to a PodTemplateSpec (or a Pod) and to its first container. Throws usage Error if there
/// is no container. Without `with_command`, the container keeps its own command.
void overlay_pod(const spec::SubmitSpec& spec, Json& pod_template, bool with_command);

/// The same for a pod's spec that has no metadata, such as a predictor of KServe. It need not have a
/// container if no flag changes one.
void overlay_spec_of_pod(const spec::SubmitSpec& spec, Json& pod, bool with_command);

/// Requests the GPUs: sets the container's resource, a node affinity for the GPU type, and a toleration for
/// the taint of GPU nodes.
void overlay_gpus(const spec::Gpus& gpus, Json& pod, Json& container);

/// Adds the user's code: an init container unpacks it into a folder, in which the container then starts.
void overlay_code(const spec::SubmitSpec& spec, Json& pod, Json& container);

/// The spec of a PersistentVolumeClaim for a mount of a new claim, with this access mode.
Json new_claim_spec(const spec::Mount& mount, const char* access);

/// Lets the container's command run in an environment with the job's packages, which a program builds before
/// the command starts. Throws usage Error if the container has no command.
void overlay_packages(const spec::SubmitSpec& spec, Json& pod, Json& container);

/// The words that overlay_packages() has put before a container's command; empty if there are none.
Json words_before_command(const Json& container);

/// The name of the pod's volume with this source. If there is none, or it is not shared, adds one with the
/// name `base`; if that name is taken, `base-1` and so on. Mounts with the same source must share a volume,
/// because a kubelet before Kubernetes 1.35 never finishes mounting a claim twice.
std::string volume_for(const Json& source, const std::string& base, bool is_shared, Json& pod);

/// Doubles each `$` where Kubernetes would replace `$$` with `$`. `$(NAME)` is still replaced by the
/// variable's value (k8s.io/kubernetes/third_party/forked/golang/expansion).
std::string escape_dollars(const std::string& text);

}  // namespace kml::render
