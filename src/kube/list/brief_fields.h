#pragma once

#include "kml/api/resource.h"
#include "kml/kube/list/brief_list.h"
#include "kube/list/protobuf_list.h"

namespace kml::kube {

/// What kml's tables of jobs, pods and nodes are made of; nothing for kinds that the API server does not have
/// in protobuf.
Message brief_fields(const api::ResourceKind& kind, Detail detail);

}  // namespace kml::kube
