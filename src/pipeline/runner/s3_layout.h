#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kml/base/error.h"
#include "kml/net/s3/client.h"
#include "kml/pipeline/store/shared_store.h"
#include "kml/pipeline/store/store.h"
#include "pipeline/trees/manifest_lines.h"

namespace kml::pipeline {

inline constexpr std::string_view kS3Results = "v1/ac/", kS3Manifests = "v1/manifests/",
                                  kS3Blobs = "v1/blobs/", kS3Pins = "v1/pins/";

std::string s3_blob(const std::string& digest);
std::string s3_manifest(const std::string& digest);
std::string s3_result(const std::string& key);

/// The lines of the manifest with this digest; empty if it does not exist or does not match the digest.
std::optional<std::vector<ManifestLine>> read_manifest(s3::Client& client, const std::string& digest);

/// Sends the files of a tree, except those that the bucket already has, and then the manifest.
void send_tree(s3::Client& client, const std::string& manifest, const std::filesystem::path& root);
/// Copies a tree to `root`, which must not exist. If part of the tree no longer exists, throws tree_gone().
void bring_tree(s3::Client& client, const std::string& digest, const std::filesystem::path& root);
/// An Error with the reason kTreeGone.
Error tree_gone(const std::string& digest, const std::string& why);

/// Whether a garbage collection might remove the object before its new use is recorded. Garbage collections
/// keep objects that are younger than a day.
bool is_old(const s3::Object& object);

/// Runs the action, and marks its errors as faults of the store, so that the run stops and can be resumed,
/// and no step fails.
template <typename Action>
auto in_s3(const Action& action) -> decltype(action()) {
  try {
    return action();
  } catch (Error& error) {
    if (error.code != ErrorCode::interrupted && error.reason != kTreeGone) error.reason = kStoreTrouble;
    throw;
  }
}

}  // namespace kml::pipeline
