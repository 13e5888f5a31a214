#pragma once

#include <string>

#include "kml/base/json.h"

namespace kml::job {

/// What must be installed in a cluster for objects of this kind, such as "the Kubeflow training operator";
/// empty if Kubernetes itself has the kind, or if kml does not know.
std::string operator_of(const Json& object);

/// What creates the job's pods: its operator, the controller that spec.managedBy names, or "Kubernetes' Job
/// controller".
std::string controller_in_words(const Json& job);

}  // namespace kml::job
