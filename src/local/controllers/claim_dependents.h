#pragma once

#include <vector>

#include "local/store/dependents.h"

namespace kml::local {

/// The objects of this kind that the owner controls, oldest first. Takes control of objects that match the
/// owner's selector and have no controller, and gives up control of objects that no longer match
/// (k8s.io/kubernetes/pkg/controller, controller_ref_manager.go).
std::vector<ObjectPtr> claim_dependents(Store& store, const Dependents& dependents, const Json& owner,
                                        const api::ResourceKind& kind);

}  // namespace kml::local
