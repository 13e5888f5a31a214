#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kml/core/json.h"

namespace kml::pipeline {

/// Error::reason where a tree that a result names is not in the store any more.
inline constexpr const char* kTreeGone = "TreeGone";

/// Results and the files that they name, kept where other machines find them too: `--store s3://BUCKET`.
///
/// A result is as LocalStore has it; each of its trees that is in the store says so: {"digest", "path",
/// "store": name()}, where the path is this machine's, and nothing may be there yet. Trees have the digests
/// of LocalStore. A tree or a result is seen by others only once all of it is there.
///
/// All functions throw Error, of reason kStoreTrouble where the store does not answer, or refuses.
class SharedStore {
 public:
  virtual ~SharedStore() = default;

  /// "s3://BUCKET/PREFIX"
  virtual std::string name() const = 0;

  /// The result kept under a key, its paths those of this machine; empty if there is none.
  virtual std::optional<Json> find_result(const std::string& key) = 0;
  /// Keeps one, unless another one is there and is not to be replaced.
  virtual void keep_result(const std::string& key, const Json& result, bool replaces) = 0;
  virtual void forget_result(const std::string& key) = 0;
  /// Puts off its removal, as it is used. False if there is none.
  virtual bool note_use(const std::string& key) = 0;

  /// Whether all files of a tree are there.
  virtual bool has(const Json& made) = 0;
  /// Sends the tree at made["path"], files that are there already aside.
  virtual void send(const Json& made) = 0;
  /// Brings a tree to made["path"]. Throws Error (reason kTreeGone) if some of it is not there any more.
  virtual void fetch(const Json& made) = 0;
};

/// Whether a shared store has it, according to the result that names it.
inline bool is_shared(const Json& made) {
  return made.is_object() && made.contains("store");
}

}  // namespace kml::pipeline
