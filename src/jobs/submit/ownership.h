#pragma once

#include <filesystem>
#include <utility>

#include "kml/core/files.h"
#include "kml/core/json.h"
#include "kml/kube/client.h"

namespace kml::jobs {

/// metav1.OwnerReference to an object that the server has answered.
Json owner_reference(const Json& object);

/// Adds to an object's owners. `known` is the object where its latest state is known, else null. Throws Error
/// "NotFound" where it is gone.
void add_owners(kube::Client& client, const api::ResourceKind& kind, const std::string& namespace_name,
                const std::string& name, const Json& owners, Json known = nullptr);

/// Hands what a note names over to those of its owners that exist, and deletes what has none.
void settle(kube::Client& client, const Json& note);

/// Keeps a note in the state folder, locked while the returned descriptor is open: it is nobody else's to
/// settle.
std::pair<std::filesystem::path, Fd> write_note(const Json& note);

}  // namespace kml::jobs
