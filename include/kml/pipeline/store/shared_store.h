#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kml/base/json.h"

namespace kml::pipeline {

/// The value of Error::reason if a tree named by a result is no longer in the store.
inline constexpr const char* kTreeGone = "TreeGone";

/// A store of results and their files that several machines share: `--store s3://BUCKET`. Results have the
/// same form as in LocalStore, and trees have the same digests. The description of a tree has one more
/// member, "store": {"digest", "path", "store": name()}. "path" is a path on this machine, which need not
/// exist yet. Other machines see a tree or a result only when it is complete. All functions throw Error, with
/// reason kStoreTrouble if the store does not respond or rejects access.
class SharedStore {
 public:
  virtual ~SharedStore() = default;

  /// "s3://BUCKET/PREFIX"
  virtual std::string name() const = 0;

  /// The result stored under a key, with paths on this machine; empty if there is none.
  virtual std::optional<Json> find_result(const std::string& key) = 0;
  /// Stores a result. If one exists already, it is replaced only if `replaces` is set.
  virtual void keep_result(const std::string& key, const Json& result, bool replaces) = 0;
  virtual void forget_result(const std::string& key) = 0;
  /// Records that the result was used, which postpones its removal. Returns false if the result does not
  /// exist.
  virtual bool note_use(const std::string& key) = 0;

  /// Whether a tree exists in the store. Need not check all of its files if it has very many.
  virtual bool has(const Json& made) = 0;
  /// Uploads the tree at made["path"], except files that the store already has.
  virtual void send(const Json& made) = 0;
  /// Downloads a tree to the path made["path"]. Throws Error (reason kTreeGone) if a part of the tree no
  /// longer exists or was changed.
  virtual void fetch(const Json& made) = 0;
};

/// Whether the output is in a shared store, according to its result.
inline bool is_shared(const Json& made) {
  return made.is_object() && made.contains("store");
}

/// Whether the output is on a volume of a cluster, according to its result.
inline bool is_on_volume(const Json& made) {
  return made.is_object() && made.contains("onClaim");
}

}  // namespace kml::pipeline
