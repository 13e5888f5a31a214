#pragma once

#include "kml/local/http_message.h"
#include "local/api/api_path.h"
#include "local/store/store.h"

namespace kml::local {

/// Handles DELETE requests for an object or a collection. A pod on the node is only marked
/// (deletionTimestamp, deletionGracePeriodSeconds), and the node removes it once its processes have ended. A
/// namespace is also only marked; it is removed once it is empty. Any other object without finalizers is
/// removed at once, and the garbage collector removes its dependents. With the propagation policy Orphan, the
/// dependents lose their owner reference instead. With Foreground, the object is only marked, and the garbage
/// collector does the rest. The default for a Job is Orphan (registry/batch/job/strategy.go).
class Deletion {
 public:
  Deletion(Store& store, const Clock& clock);

  HttpResponse remove(const ApiPath& path, const HttpRequest& request);
  HttpResponse remove_collection(const ApiPath& path, const HttpRequest& request);

  /// If the object's deletion was waiting for its last finalizer, removes the object. Returns whether it did.
  bool finish(const api::ResourceKind& kind, const Json& object);

 private:
  struct Options;
  HttpResponse answer(const api::ResourceKind& kind, const Options& options, std::string body) const;
  Options options_of(const HttpRequest& request) const;
  /// How a deletion marks an object that cannot be removed at once.
  struct Mark {
    std::chrono::seconds grace{0};
    const char* finalizer = nullptr;
    bool is_there = false;  ///< an earlier deletion has already marked the object like this
  };
  /// The marked object, even if it is a pod that was removed at once; nullptr if another object was removed.
  /// In a dry run, what the result would be.
  ObjectPtr remove_one(const api::ResourceKind& kind, const ObjectPtr& object, const Options& options);
  /// Empty if the object can be removed at once.
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
