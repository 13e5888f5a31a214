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

// The version of the format of the table and of the other files in the state folder. It is stored in PRAGMA
// user_version.
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

/// The fix to suggest in all errors about damaged state.
inline constexpr const char* kRepair =
    "run `kml local repair`, which saves the readable data (`kml local check` shows the damage)";

/// A new random UUID (version 4), as the API server assigns to each object.
std::string new_uid();

/// An object in the store. It is never changed, only replaced by a new one.
using ObjectPtr = std::shared_ptr<const Json>;

/// The place of an object among the sorted objects of its kind.
struct Place {
  std::string namespace_name, name;
};

enum class Change { added, modified, deleted };

/// A write to the store. For a deletion, `object` is the last state, with the resourceVersion of the
/// deletion.
struct StoreEvent {
  uint64_t revision;
  Change change;
  const api::ResourceKind* kind;
  ObjectPtr object;
  ObjectPtr previous;  ///< the previous state of the object; nullptr for an added object
};

/// The objects of the embedded server, in memory for reading and in SQLite (WAL) for durability. Each write
/// is a transaction; if it fails, it throws Error and changes nothing. If the disk is full, only deletions
/// and small changes are written. sync() makes all writes so far survive a power failure. Each write
/// increments the resourceVersion. The store knows nothing about admission, defaults and controllers.
class Store {
 public:
  Store(const std::filesystem::path& file, const Clock& clock);
  ~Store();

  ObjectPtr get(const api::ResourceKind& kind, std::string_view namespace_name, std::string_view name) const;
  /// The objects, sorted by namespace and name. An empty namespace means all namespaces. If `after` has a
  /// name, only the objects that come after that place.
  std::vector<ObjectPtr> list(const api::ResourceKind& kind, std::string_view namespace_name,
                              const Place& after = {}) const;

  /// Stores a new object. Sets creationTimestamp, resourceVersion and generation, and metadata.uid unless it
  /// is set. Throws Error with reason "AlreadyExists".
  ObjectPtr create(const api::ResourceKind& kind, Json object);
  /// Replaces an object. Throws Error with reason "Conflict" if metadata.resourceVersion is set and outdated
  /// or metadata.uid is another one, or with "NotFound" if the object does not exist. Writes nothing if the
  /// object has not changed. Increments generation if `spec` has changed or the object is now being deleted.
  ObjectPtr update(const api::ResourceKind& kind, Json object);
  /// Reads an object, changes it and writes it. Meant for controllers, which run on the store's thread. If
  /// the object does not exist, the previous object is nullptr and `change` is not called.
  ObjectPtr modify(const api::ResourceKind& kind, std::string_view namespace_name, std::string_view name,
                   const std::function<void(Json&)>& change);
  /// Throws Error with reason "NotFound" if the object does not exist.
  void remove(const api::ResourceKind& kind, std::string_view namespace_name, std::string_view name);

  /// Until the object's next write, shows readers a different state of it. Used for changes that do not fit
  /// on a full disk. Sends no event, and does not change the resourceVersion.
  void show(const api::ResourceKind& kind, std::string_view namespace_name, std::string_view name,
            const std::function<void(Json&)>& change);
  /// Whether the disk has so little space that only writes that free space are accepted. Restores the reserve
  /// for such writes once the disk has space again.
  bool is_disk_short() const;
  /// How many writes have failed because of a full disk since the store was opened.
  uint64_t refused_writes() const;

  bool is_synced() const;
  /// Syncs all writes since the last sync to disk at once. Afterwards, no file contains deleted or replaced
  /// Secrets; if the disk is full, this is true only once it has space again. Throws Error if the disk fails;
  /// it is then unknown what the disk contains.
  void sync();

  /// The resourceVersion of the last write.
  uint64_t revision() const;
  /// The events after that revision; empty if they are no longer kept (410 Expired) or the revision does not
  /// exist yet.
  std::optional<std::vector<StoreEvent>> events_since(uint64_t revision) const;
  /// `subscriber` is called after each write, on the same thread, in order. It may write; the events of those
  /// writes follow.
  void subscribe(std::function<void(const StoreEvent&)> subscriber);

 private:
  struct State;
  static std::unique_ptr<State> open(const std::filesystem::path& file, const Clock& clock);

  std::unique_ptr<State> state_;
};

}  // namespace kml::local
