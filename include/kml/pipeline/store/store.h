#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kml/base/clock.h"
#include "kml/base/json.h"

namespace kml::pipeline {

/// A file or a folder, identified by its content.
struct Tree {
  std::string digest;  ///< the SHA-256 of the manifest, 64 hexadecimal digits
  std::uintmax_t bytes = 0;
  size_t files = 0;
};

/// The content of a tree: one line for each entry, sorted by the bytes of the paths:
///
///     "model/weights.bin" 644 1048576 SHA256   mode (755 if executable, otherwise 644), size, digest
///     "logs/"                                  an empty folder
///     "latest" -> "model"                      a link, which must stay inside the tree
///
/// Names are JSON text; a byte that is not UTF-8 becomes \udcXX, as with Python's surrogateescape. A tree
/// that is a single file has the path ".", an empty folder "./". Times, owners and other mode bits are
/// ignored. The SHA-256 of these lines is the tree's digest.
struct Manifest {
  std::string text;
  Tree tree;
};

/// Reads the tree from disk. Throws Error if nothing exists at the path, for a link that is absolute, leads
/// out of the tree or to itself, for entries other than files, folders and links, and if a file cannot be
/// read or changes meanwhile.
Manifest manifest_of(const std::filesystem::path& path);

/// The value of Error::reason if the store cannot be written: the disk is full, the store belongs to another
/// user, or a shared store does not respond. The outputs of the step are intact and can be stored later.
inline constexpr const char* kStoreTrouble = "StoreTrouble";

/// The value of Error::reason if a tree from another store does not match its digest.
inline constexpr const char* kTreeDiffers = "TreeDiffers";

/// The artifacts on this machine:
///
///     data/RUN/STEP/ATTEMPT/OUTPUT   outputs where steps wrote them; read-only once they are stored
///     data/.shared/DIGEST/0/OUTPUT   outputs that another machine made
///     stamps/RUN/STEP/ATTEMPT/OUTPUT file times at the last keep() or has(); saves reading unchanged files
///     manifests/aa/SHA               manifests by digest
///     lists/aa/SHA                   texts by digest, such as the list of a step's code files
///     results/aa/KEY.json            the result of a step with that key: the cache
///     latest/PIPELINE/STEP           the key of the step's last result
///     claims/KEY                     a lock, see KeyClaim
///     pins/NAME.json                 the pinned artifacts
///     programs/SHA/kml-step          the program that records what steps read
///
/// Manifests, lists and results are written under another name, synced and then renamed, so readers never see
/// a partial file. Errors caused by a full disk or missing permissions name the folder.
class LocalStore {
 public:
  explicit LocalStore(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// The path to which an attempt of a step must write an output.
  std::filesystem::path output_path(const std::string& run, const std::string& step, int attempt,
                                    const std::string& output) const;

  /// Creates the folder that contains a path from output_path().
  void make_folder_of(const std::filesystem::path& path) const;
  /// Makes the folder for a path, like make_folder_of(), and removes the files that an earlier try left at
  /// the path.
  void prepare(const std::filesystem::path& path) const;

  /// Stores the file or folder at a path from output_path(): makes it read-only, syncs it, computes its
  /// digest and stores its manifest. Throws Error as manifest_of() does. First replaces a file that has hard
  /// links outside the tree by a copy, so that those stay writable.
  Tree keep(const std::filesystem::path& path) const;

  /// Whether the tree with this digest is still at the path. Compares size, times, mode and inode of all
  /// entries, and reads the files only if one of these differs. False if the tree cannot be read. After a
  /// true result, the caller has a day to record that it needs the tree; see last_use().
  bool has(const std::filesystem::path& path, const std::string& digest) const;

  /// The digest of a file or folder anywhere on disk. Does not read them again if their sizes, times, modes
  /// and inodes are known and unchanged. Throws Error as manifest_of() does.
  std::string digest_of(const std::filesystem::path& path) const;

  /// Stores a tree from another store at `path`. `write` receives a path where nothing exists, and must
  /// create the tree there. Once the tree is complete and its digest matches, it replaces the files at
  /// `path`. Throws Error (reason kTreeDiffers) and changes nothing if the digest differs.
  void take_over(const std::filesystem::path& path, const std::string& digest,
                 const std::function<void(const std::filesystem::path& place)>& write) const;
  /// The path for a tree that another machine made.
  std::filesystem::path shared_path(const std::string& digest, const std::string& output) const;
  /// The manifest of a stored tree; empty if it no longer exists or is damaged.
  std::optional<std::string> find_manifest(const std::string& digest) const;

  /// The result stored under a key, which is usually a digest; empty if there is none or it cannot be read.
  std::optional<Json> find_result(const std::string& key) const;
  void keep_result(const std::string& key, const Json& result) const;
  void forget_result(const std::string& key) const;
  /// Calls `take` for each readable result, sorted by key.
  void each_result(const std::function<void(const std::string& key, const Json& result)>& take) const;

  /// The key of a step's last result; empty if the step never had one. The result may have been removed
  /// since.
  std::optional<std::string> find_latest(const std::string& pipeline, const std::string& step) const;
  void keep_latest(const std::string& pipeline, const std::string& step, const std::string& key) const;

  /// Stores a text and returns its SHA-256.
  std::string keep_list(const std::string& text) const;
  /// The text with that digest; empty if it does not exist or is damaged.
  std::optional<std::string> find_list(const std::string& digest) const;

  /// A path below data/, with an output that a step made or began to make. outputs() returns these sorted.
  struct Output {
    std::string run;
    std::filesystem::path path;
  };
  std::vector<Output> outputs() const;

  /// The time at which keep() or has() last checked the path; empty if it is unknown.
  std::optional<Time> last_use(const std::filesystem::path& path) const;

  /// Removes the file or folder at a path from outputs(), even if it is read-only. Does not follow links.
  /// Returns false, and removes nothing, if keep() or has() has checked the path after `since`.
  bool remove_output(const std::filesystem::path& path, Time since) const;

  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path stamps_path(const std::filesystem::path& path) const;
  void note_use(const std::filesystem::path& path) const;
  void keep_stamps(const std::filesystem::path& path, const std::string& stamps) const;

  std::filesystem::path folder_;
};

/// The store in state_folder()/artifacts.
LocalStore local_store();

}  // namespace kml::pipeline
