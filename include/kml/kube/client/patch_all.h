#pragma once

#include <span>
#include <string>
#include <string_view>

#include "kml/base/json.h"
#include "kml/kube/client/client.h"

namespace kml::kube {

/// Sends the same merge patch to many objects of one kind and namespace, several at the same time over a few
/// connections. Ignores objects that no longer exist. If some patches fail, sends those again, one after
/// another, as Client::patch() does, and throws the first Error.
void patch_all(Client& client, const api::ResourceKind& kind, std::string_view namespace_name,
               std::span<const std::string> names, const Json& patch);

}  // namespace kml::kube
