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

/// The lines of the manifest with that digest; empty if it does not exist or does not match its digest.
std::optional<std::vector<ManifestLine>> read_manifest(s3::Client& client, const std::string& digest);

/// Sends a tree's files, except those that the bucket already has, and then its manifest.
void send_tree(s3::Client& client, const std::string& manifest, const std::filesystem::path& root);
/// Copies a tree to `root`, which must not exist. Throws tree_gone() if a part of it no longer exists.
void bring_tree(s3::Client& client, const std::string& digest, const std::filesystem::path& root);
/// Its reason is kTreeGone.
Error tree_gone(const std::string& digest, const std::string& why);

/// Whether a collection might remove the object before its new use is recorded. Collections keep objects that
/// are younger than a day.
bool is_old(const s3::Object& object);

/// Marks errors of the action as trouble of the store: the run then stops and can be resumed, and no step
/// fails.
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
