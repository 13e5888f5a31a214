#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "local/loop/work_queue.h"
#include "local/store/dependents.h"

namespace kml::local {

/// Deletes the dependents of deleted objects in the background. An owner with the finalizer
/// foregroundDeletion stays until its dependents are deleted.
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
  std::unordered_map<std::string, Doomed> doomed_;  ///< the dependents to remove, by uid
  WorkQueue queue_;                                 ///< the uids of owners
  WorkQueue removals_;                              ///< the uids of the objects in doomed_
  /// The kind, namespace and name of an owner that waits until its dependents are deleted. Stored by uid.
  struct Owner {
    const api::ResourceKind* kind;
    std::string namespace_name, name;
  };
  std::unordered_map<std::string, Owner> waiting_;
};

}  // namespace kml::local
