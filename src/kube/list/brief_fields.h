#pragma once

#include "kml/kube/list/brief_list.h"
#include "kml/kube/objects/resource.h"
#include "kube/list/protobuf_list.h"

namespace kml::kube {

/// The fields of jobs, pods and nodes that kml's tables need; empty for all other kinds.
Message brief_fields(const api::ResourceKind& kind, Detail detail);

/// Removes all parts of the object that from_protobuf() would not read. If `fields` is empty, keeps
/// everything.
void keep_only(Message fields, Json& object);

}  // namespace kml::kube
