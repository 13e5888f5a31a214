#pragma once

#include "kml/base/error.h"
#include "kml/kube/kubeconfig/kubeconfig.h"

namespace kml::kube {

/// Replaces "this cluster in the kubeconfig" and "this user in the kubeconfig" in the fix of a connection's
/// error by the names of the context's cluster and user, and by the files that have them. Changes nothing if
/// the error is about another server than the cluster's, or if the kubeconfig cannot be read.
void name_stanzas(Error& error, const KubeconfigOptions& options);

}  // namespace kml::kube
