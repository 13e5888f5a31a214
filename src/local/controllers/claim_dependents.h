#pragma once

#include <vector>

#include "local/store/dependents.h"

namespace kml::local {

/// The objects of a kind that the owner controls, oldest first. Takes those that match its selector and have
/// no controller, and releases those that no longer match (k8s.io/kubernetes/pkg/controller,
/// controller_ref_manager.go).
std::vector<ObjectPtr> claim_dependents(Store& store, const Dependents& dependents, const Json& owner,
                                        const api::ResourceKind& kind);

}  // namespace kml::local
