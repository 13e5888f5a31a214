#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "kml/kube/objects/resource.h"

namespace kml::local {

// The format version of the table and of the other files in the state folder, stored in PRAGMA user_version.
inline constexpr int64_t kStoreFormat = 1;
inline constexpr const char* kMakeTables =
    "CREATE TABLE objects(kind TEXT, key TEXT, object TEXT, PRIMARY KEY(kind, key));"
    "CREATE TABLE revision(value INTEGER);"
    "INSERT INTO revision VALUES(0);"
    "PRAGMA user_version = 1";
inline constexpr const char* kPutObject =
    "INSERT INTO objects(kind, key, object) VALUES(?1, ?2, ?3) "
    "ON CONFLICT(kind, key) DO UPDATE SET object = ?3";
inline constexpr const char* kSetRevision = "UPDATE revision SET value = ?1";

/// The suggested fix in all errors about damaged state.
inline constexpr const char* kRepair =
    "run `kml local repair`, which saves the readable data (`kml local check` shows the damage)";

/// A new random UUID (version 4), as the API server assigns to each object.
std::string new_uid();

/// An object in the store. It is never changed, only replaced.
using ObjectPtr = std::shared_ptr<const Json>;

enum class Change { added, modified, deleted };

/// One write. For a deletion, `object` is the last state, with the resourceVersion of the deletion.
struct StoreEvent {
  uint64_t revision;
  Change change;
  const api::ResourceKind* kind;
  ObjectPtr object;
  ObjectPtr previous;  ///< nullptr for an added object
};

/// The embedded server's objects, in memory for reading and in SQLite (WAL) for durability. Each write is one
/// transaction; a failed one throws Error and changes nothing. On a full disk, only deletions and small
/// changes are written. sync() makes all writes so far survive a power failure. Each write increments
/// resourceVersion. The store does not handle admission, defaults or controllers.
class Store {
 public:
  Store(const std::filesystem::path& file, const Clock& clock);
  ~Store();

  ObjectPtr get(const api::ResourceKind& kind, std::string_view namespace_name, std::string_view name) const;
  /// Sorted by namespace and name. An empty namespace means all.
  std::vector<ObjectPtr> list(const api::ResourceKind& kind, std::string_view namespace_name) const;

  /// Sets creationTimestamp, resourceVersion, generation, and metadata.uid if it is missing. Throws Error
  /// with reason "AlreadyExists".
  ObjectPtr create(const api::ResourceKind& kind, Json object);
  /// Replaces an object. Throws Error "Conflict" if metadata.resourceVersion is given and is not the current
  /// one, or "NotFound" if the object does not exist. Writes nothing if nothing differs. Increments
  /// generation if `spec` differs.
  ObjectPtr update(const api::ResourceKind& kind, Json object);
  /// Reads, changes and writes an object, for controllers, which run on the store's own thread. If the object
  /// does not exist, the previous object is nullptr and `change` is not called.
  ObjectPtr modify(const api::ResourceKind& kind, std::string_view namespace_name, std::string_view name,
                   const std::function<void(Json&)>& change);
  /// Throws Error with reason "NotFound".
  void remove(const api::ResourceKind& kind, std::string_view namespace_name, std::string_view name);

  /// Shows readers another state of an object until its next write, for changes that do not fit on a full
  /// disk. This sends no event and has no separate resourceVersion.
  void show(const api::ResourceKind& kind, std::string_view namespace_name, std::string_view name,
            const std::function<void(Json&)>& change);
  /// Whether the disk has so little space that only writes that free it are accepted. Keeps the reserve for
  /// these if the disk has space again.
  bool is_disk_short() const;
  /// How many writes have failed because of a full disk since the store was opened.
  uint64_t refused_writes() const;

  bool is_synced() const;
  /// Syncs all writes since the last sync to disk at once. Afterwards no file contains deleted or replaced
  /// Secrets; on a full disk, only once it has space again. Throws Error if the disk fails; its state is then
  /// unknown.
  void sync();

  /// The resourceVersion of the last write.
  uint64_t revision() const;
  /// The events after that revision; empty if they are no longer kept (410 Expired).
  std::optional<std::vector<StoreEvent>> events_since(uint64_t revision) const;
  /// Called after each write, on the same thread, in order; a subscriber may write (its events follow).
  void subscribe(std::function<void(const StoreEvent&)> subscriber);

 private:
  struct State;
  static std::unique_ptr<State> open(const std::filesystem::path& file, const Clock& clock);

  std::unique_ptr<State> state_;
};

}  // namespace kml::local
