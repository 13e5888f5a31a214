#pragma once

#include "kml/core/error.h"
#include "kml/jobs/submit/create.h"

namespace kml::jobs {

/// Kind "name", for messages.
std::string described(const Json& object);

/// Whether the server may have created the object although no success was heard of.
bool is_ambiguous(const Error& error);

/// Waits before the next try, longer from one to the next.
void pause_before(int next_try);

/// create_once() from the error of its first request on: sees whether the object is there, else sends it
/// again.
Json settle(kube::Client& client, const api::ResourceKind& kind, std::string_view namespace_name,
            const Json& object, Error error);

}  // namespace kml::jobs
