#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// The label with the idempotency key, on all objects of a submit that has one.
inline constexpr std::string_view kIdempotencyKey = "kml.dev/idempotency-key";
/// The annotation with the hash of an object's manifest, on the same objects.
inline constexpr std::string_view kManifestHash = "kml.dev/manifest-hash";

/// A suffix like random_suffix()'s that is always the same for the same key and number.
std::string suffix_of_key(std::string_view key, size_t number);

/// A hash of the object without its name, and without the name of the submit's own Secret.
std::string manifest_hash(const Json& object, const std::string& submit_id);

/// The first value of `now` that is missing or different in `earlier`: its path and both values, as one line.
/// Empty if there is none. Fields that only `earlier` has are not differences, because the server adds some.
/// Neither are the name, labels and annotations, and the names of Secrets in variables.
std::string first_difference(const Json& now, const Json& earlier);

/// For each object, the job that an earlier submit with the same key has created, if any. If that submit was
/// interrupted, it may have created only some of its jobs. Throws usage Error if such a job differs from the
/// object; the message shows the difference on one line.
std::vector<std::optional<Json>> find_earlier(kube::Client& client, const std::vector<Json>& objects);

}  // namespace kml::job
