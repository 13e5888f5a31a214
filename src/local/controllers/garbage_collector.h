#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "local/loop/work_queue.h"
#include "local/store/dependents.h"

namespace kml::local {

/// Deletes the dependents of deleted objects (Background). An owner with the finalizer foregroundDeletion
/// waits until its dependents are deleted.
class GarbageCollector {
 public:
  GarbageCollector(EventLoop& loop, Store& store, const Dependents& dependents, const Clock& clock);

  /// Finds owners that were deleted while no server was running.
  void recover();

 private:
  void on_event(const StoreEvent& event);
  void look_at_waiting(const std::string& owner_uid);
  void collect(const std::string& owner_uid);
  std::vector<ObjectPtr> lone_dependents(const std::string& owner_uid) const;
  void remove(const std::string& uid);
  void remove(const api::ResourceKind& kind, const Json& dependent, bool foreground);

  Store& store_;
  const Dependents& dependents_;
  const Clock& clock_;
  struct Doomed {
    ObjectPtr object;
    bool is_foreground = false;
  };
  std::unordered_map<std::string, Doomed> doomed_;  ///< dependents to remove, by uid
  WorkQueue queue_;                                 ///< uids of owners
  WorkQueue removals_;                              ///< uids of doomed dependents
  /// Owners that wait for the deletion of their dependents: kind, namespace and name by uid.
  struct Owner {
    const api::ResourceKind* kind;
    std::string namespace_name, name;
  };
  std::unordered_map<std::string, Owner> waiting_;
};

}  // namespace kml::local
