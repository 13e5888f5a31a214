#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"
#include "kml/kube/client/client.h"

namespace kml::job {

inline constexpr std::string_view kIdempotencyKey = "kml.dev/idempotency-key";  ///< label: one job per key
inline constexpr std::string_view kManifestHash = "kml.dev/manifest-hash";      ///< annotation next to it

/// A suffix in random_suffix()'s form that is always the same for the same key and number.
std::string suffix_of_key(std::string_view key, size_t number);

/// A hash of the object that ignores its name and the name of the submit's own Secret.
std::string manifest_hash(const Json& object, const std::string& submit_id);

/// For each object, the job that an earlier submit with its key created, if any. An interrupted submit may
/// have created only some of its jobs. Throws Error (usage) if a job with that key differs; the error shows
/// the difference in one line.
std::vector<std::optional<Json>> find_earlier(kube::Client& client, const std::vector<Json>& objects);

}  // namespace kml::job
