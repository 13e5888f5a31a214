#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kml/core/error.h"
#include "kml/pipeline/manifest_lines.h"
#include "kml/pipeline/shared_store.h"
#include "kml/pipeline/store.h"
#include "kml/s3/client.h"

namespace kml::jobs {

inline constexpr std::string_view kS3Results = "v1/ac/", kS3Manifests = "v1/manifests/",
                                  kS3Blobs = "v1/blobs/", kS3Pins = "v1/pins/";

std::string s3_blob(const std::string& digest);
std::string s3_manifest(const std::string& digest);
std::string s3_result(const std::string& key);

/// What the manifest of that digest says; empty if it is not there, or is not what its name says.
std::optional<std::vector<pipeline::ManifestLine>> read_manifest(s3::Client& client,
                                                                 const std::string& digest);

/// Whether a collection might remove it before what now needs it is written down: it keeps what is younger
/// than a day.
bool is_old(const s3::Object& object);

/// What goes wrong there is the store's fault, not a step's: the run stops, and can go on later.
template <typename Action>
auto in_s3(const Action& action) -> decltype(action()) {
  try {
    return action();
  } catch (Error& error) {
    if (error.code != ErrorCode::interrupted && error.reason != pipeline::kTreeGone)
      error.reason = pipeline::kStoreTrouble;
    throw;
  }
}

}  // namespace kml::jobs
