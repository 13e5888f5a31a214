#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kml/core/clock.h"
#include "kml/core/json.h"

namespace kml::pipeline {

/// A file or a folder, known by its content.
struct Tree {
  std::string digest;       ///< SHA-256 of its manifest, 64 hexadecimal digits
  std::uintmax_t bytes = 0;
  size_t files = 0;
};

/// Lines of what is in a tree, sorted by path: a path as JSON text, mode (644 or 755), size and SHA-256 of
/// each file; an empty folder ends in "/"; a link that stays inside the tree has its target. A file that is no
/// folder has the path ".". Times, owners and other bits of modes do not count. Its SHA-256 is the digest.
struct Manifest {
  std::string text;
  Tree tree;
};

/// Reads it from disk. Throws Error for a link that leads out of the tree, and for anything but files, folders
/// and links.
Manifest manifest_of(const std::filesystem::path& path);

/// The artifacts on this machine:
///
///     data/RUN/STEP/ATTEMPT/OUTPUT   what steps make, in place; read-only once it is kept
///     manifests/aa/SHA               by digest
///     results/aa/KEY.json            what a step with that key made: the cache
///     pins/SHA                       artifacts that are never collected
///
/// What others see appears by a rename of what was synced: a file that is half written is never visible.
class LocalStore {
 public:
  explicit LocalStore(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Where an attempt of a step is to put an output. The folder that holds it is made, and what an earlier
  /// try left in it is removed.
  std::filesystem::path output_path(const std::string& run, const std::string& step, int attempt,
                                    const std::string& output) const;

  /// Takes over what lies at a path of output_path(): hashes it, makes it read-only, keeps its manifest.
  /// Throws Error if nothing is there.
  Tree keep(const std::filesystem::path& path) const;

  /// Whether what lies at the path is still that tree: by size, mode and time of its files as keep() noted
  /// them, and by content where these differ.
  bool has(const std::filesystem::path& path, const std::string& digest) const;

  /// The result kept under a key, "results/aa/KEY.json"; empty if there is none, or it cannot be read.
  std::optional<Json> find_result(const std::string& key) const;
  void keep_result(const std::string& key, const Json& result) const;
  void forget_result(const std::string& key) const;
  /// Each result, with its key.
  void each_result(const std::function<void(const std::string& key, const Json& result)>& take) const;

  /// Removes what a run made, read-only or not. Nothing if there is none.
  void remove_run(const std::string& run) const;

  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

/// state_folder()/artifacts.
LocalStore local_store();

}  // namespace kml::pipeline
