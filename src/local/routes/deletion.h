#pragma once

#include "local/api/api_path.h"
#include "local/http/http_message.h"
#include "local/store/store.h"

namespace kml::local {

/// Handles DELETE of one object or of a collection.
///
/// A pod is only marked (deletionTimestamp, deletionGracePeriodSeconds); the node removes it after its
/// processes have ended. Any other object without finalizers is removed at once. The garbage collector
/// removes its dependents; with propagationPolicy Orphan they lose their owner reference instead. With
/// Foreground the object is marked, and the garbage collector does the rest. A Job's default is Orphan
/// (registry/batch/job/strategy.go).
class Deletion {
 public:
  Deletion(Store& store, const Clock& clock);

  HttpResponse remove(const ApiPath& path, const HttpRequest& request);
  HttpResponse remove_collection(const ApiPath& path, const HttpRequest& request);

  /// Removes an object whose deletion waited for its last finalizer. Returns whether it did.
  bool finish(const api::ResourceKind& kind, const Json& object);

 private:
  struct Options;
  HttpResponse answer(const api::ResourceKind& kind, const Options& options, std::string body) const;
  Options options_of(const HttpRequest& request) const;
  /// How a deletion marks an object that is not removed at once.
  struct Mark {
    std::chrono::seconds grace{0};
    const char* finalizer = nullptr;
    bool is_there = false;  ///< an earlier deletion has marked it in the same way
  };
  /// The marked object, or nullptr if it was removed. In a dry run, what would be the result.
  ObjectPtr remove_one(const api::ResourceKind& kind, const ObjectPtr& object, const Options& options);
  /// Empty if the object is removed at once.
  std::optional<Mark> mark_of(const api::ResourceKind& kind, const Json& object,
                              const Options& options) const;
  static Mark mark_of_pod(const Json& pod, const Options& options);
  Json marked(const api::ResourceKind& kind, Json object, const Mark& mark) const;
  void release_dependents(const api::ResourceKind& kind, const Json& owner);
  void orphan_dependents(const Json& owner);

  Store& store_;
  const Clock& clock_;
};

}  // namespace kml::local
