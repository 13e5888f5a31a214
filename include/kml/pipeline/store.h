#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kml/core/clock.h"
#include "kml/core/json.h"

namespace kml::pipeline {

/// A file or a folder, known by its content.
struct Tree {
  std::string digest;  ///< SHA-256 of its manifest, 64 hexadecimal digits
  std::uintmax_t bytes = 0;
  size_t files = 0;
};

/// What is in a tree, a line each, sorted by the bytes of the paths:
///
///     "model/weights.bin" 644 1048576 SHA256   mode (755 if its owner may run it, else 644), size, content
///     "logs/"                                  an empty folder
///     "latest" -> "model"                      a link, which stays inside the tree
///
/// Names are JSON text; a byte that is not UTF-8 is \udcXX, as in Python's surrogateescape. A file that is no
/// folder has the path ".", an empty folder itself "./". Times, owners and other bits of modes do not count.
/// The SHA-256 of these lines is the tree's digest.
struct Manifest {
  std::string text;
  Tree tree;
};

/// Reads it from disk. Throws Error if nothing is there; for a link that leads out of the tree, by ".." or as
/// an absolute path; for anything but files, folders and links; and for a file that changes meanwhile.
Manifest manifest_of(const std::filesystem::path& path);

/// Error::reason where the store itself cannot be written: its disk is full, or not this user's. What a step
/// made is not at fault, and can be kept later.
inline constexpr const char* kStoreTrouble = "StoreTrouble";

/// Error::reason where what came from elsewhere is not what its digest says.
inline constexpr const char* kTreeDiffers = "TreeDiffers";

/// The artifacts on this machine:
///
///     data/RUN/STEP/ATTEMPT/OUTPUT   what steps make, in place; read-only once it is kept
///     data/.shared/DIGEST/0/OUTPUT   what another machine made
///     stamps/RUN/STEP/ATTEMPT/OUTPUT how keep() or has() last found it, so that it need not be read again
///     manifests/aa/SHA               by digest
///     lists/aa/SHA                   texts by digest, such as the files of a step's code
///     results/aa/KEY.json            what a step with that key made: the cache
///     latest/PIPELINE/STEP           the key of the step's last result
///
/// What others see appears by a rename of what was synced: a file that is half written is never visible.
/// Errors of a full disk or of missing rights say which folder it is.
class LocalStore {
 public:
  explicit LocalStore(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Where an attempt of a step is to put an output.
  std::filesystem::path output_path(const std::string& run, const std::string& step, int attempt,
                                    const std::string& output) const;

  /// Makes the folder that holds a path of output_path().
  void make_folder_of(const std::filesystem::path& path) const;
  /// The same, and removes what an earlier try left at the path.
  void prepare(const std::filesystem::path& path) const;

  /// Takes over what lies at a path of output_path(): makes it read-only, writes it to its disk, hashes it
  /// and keeps its manifest. Throws Error where manifest_of() does. Files that have a second name elsewhere
  /// (hard links) become read-only there too.
  Tree keep(const std::filesystem::path& path) const;

  /// Whether what lies at the path is still that tree: by size, times, mode and inode of all that is in it,
  /// and by content where these have changed. False if it cannot be read. Who is told that it is there has a
  /// day to write down that it is needed: see last_use().
  bool has(const std::filesystem::path& path, const std::string& digest) const;

  /// The digest of what lies anywhere, which is read again only if its stamps have changed. Throws Error
  /// where manifest_of() does.
  std::string digest_of(const std::filesystem::path& path) const;

  /// Takes over a tree that comes from elsewhere: `write` makes it at a path where nothing is, and only once
  /// it is whole and has that digest is it at `path`, kept. What was there before is replaced. Throws Error
  /// (reason kTreeDiffers) if it has another digest; then nothing has changed.
  void take_over(const std::filesystem::path& path, const std::string& digest,
                 const std::function<void(const std::filesystem::path& place)>& write) const;
  /// Where a tree is to be that another machine made.
  std::filesystem::path shared_path(const std::string& digest, const std::string& output) const;
  /// The manifest of a tree that was kept; empty if it is not known any more.
  std::optional<std::string> find_manifest(const std::string& digest) const;

  /// The result kept under a key, usually a digest; empty if there is none, or it cannot be read.
  std::optional<Json> find_result(const std::string& key) const;
  void keep_result(const std::string& key, const Json& result) const;
  void forget_result(const std::string& key) const;
  /// Each result that can be read, sorted by key.
  void each_result(const std::function<void(const std::string& key, const Json& result)>& take) const;

  /// The key of a step's last result, which need not be there any more; empty if none was kept.
  std::optional<std::string> find_latest(const std::string& pipeline, const std::string& step) const;
  void keep_latest(const std::string& pipeline, const std::string& step, const std::string& key) const;

  /// Keeps a text and returns its SHA-256.
  std::string keep_list(const std::string& text) const;
  /// The text of that digest; empty if it was not kept, or is torn.
  std::optional<std::string> find_list(const std::string& digest) const;

  /// What steps made, or began to make: all that is in data/, sorted by path.
  struct Output {
    std::string run;
    std::filesystem::path path;
  };
  std::vector<Output> outputs() const;

  /// When keep() or has() last found what is at the path; empty if neither ever did.
  std::optional<Time> last_use(const std::filesystem::path& path) const;

  /// Removes what is at a path of outputs(), read-only or not; links are not followed. False, and nothing is
  /// removed, if has() has found it since that time.
  bool remove_output(const std::filesystem::path& path, Time since) const;

  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path stamps_path(const std::filesystem::path& path) const;
  void note_use(const std::filesystem::path& path) const;
  void keep_stamps(const std::filesystem::path& path, const std::string& stamps) const;

  std::filesystem::path folder_;
};

/// state_folder()/artifacts.
LocalStore local_store();

}  // namespace kml::pipeline
