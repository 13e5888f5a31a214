#pragma once

#include <string>

#include "kml/core/json.h"
#include "kml/kube/client.h"

namespace kml::jobs {

/// Pauses a job (its pods are ended, with their grace), or lets it go on.
void set_suspended(kube::Client& client, const Json& job, bool suspended);

/// Ends a job and keeps its object, pods and logs: marks it as cancelled, allows no more attempts, and sets
/// the deadline of each started pod to one second, one of the few fields of a pod that may change. The
/// kubelet then ends the pod with its grace and keeps object and log. A job without a started pod is
/// suspended, and so is one whose pods would be started again. Returns false, having done nothing, where the
/// job has ended.
bool cancel(kube::Client& client, const Json& job);

/// Deletes a job and its pods.
void remove(kube::Client& client, const Json& job);

}  // namespace kml::jobs
