#pragma once

#include "kml/base/error.h"
#include "kml/kube/kubeconfig/kubeconfig.h"

namespace kml::kube {

/// In the fix of a connection error, replaces "this cluster in the kubeconfig" and "this user in the
/// kubeconfig" by the names of the context's cluster and user, and adds the files that define them. Changes
/// nothing if the error is about a different server, or if the kubeconfig cannot be read.
void name_stanzas(Error& error, const KubeconfigOptions& options);

}  // namespace kml::kube
