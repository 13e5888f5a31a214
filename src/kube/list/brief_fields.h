#pragma once

#include "kml/kube/list/brief_list.h"
#include "kml/kube/objects/resource.h"
#include "kube/list/protobuf_list.h"

namespace kml::kube {

/// The fields that kml's tables of jobs, pods and nodes need; empty for kinds without protobuf support in the
/// API server.
Message brief_fields(const api::ResourceKind& kind, Detail detail);

/// Keeps only those parts of an object read from JSON that from_protobuf() would read. Without fields, keeps
/// everything.
void keep_only(Message fields, Json& object);

}  // namespace kml::kube
