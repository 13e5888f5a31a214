#pragma once

#include "local/api/api_path.h"
#include "local/http/http_message.h"
#include "local/store/store.h"

namespace kml::local {

/// DELETE of one object or of a collection.
///
/// A pod is only marked (deletionTimestamp, deletionGracePeriodSeconds): the node removes it when its
/// processes are gone. What else has no finalizers is removed at once; its dependents are the garbage
/// collector's, or, with propagationPolicy Orphan, lose their owner. Foreground marks the object and leaves
/// the rest to the garbage collector. A Job's default is Orphan (registry/batch/job/strategy.go).
class Deletion {
 public:
  Deletion(Store& store, const Clock& clock);

  HttpResponse remove(const ApiPath& path, const HttpRequest& request);
  HttpResponse remove_collection(const ApiPath& path, const HttpRequest& request);

  /// Removes an object whose deletion waited for its last finalizer, and says whether it did.
  bool finish(const api::ResourceKind& kind, const Json& object);

 private:
  struct Options;
  HttpResponse answer(const api::ResourceKind& kind, const Options& options, std::string body) const;
  Options options_of(const HttpRequest& request) const;
  /// What a deletion does to an object that does not go at once.
  struct Mark {
    std::chrono::seconds grace{0};
    const char* finalizer = nullptr;
    bool is_there = false;  ///< an earlier deletion did the same
  };
  /// The marked object, or nullptr if it is gone; of a dry run, as it would be.
  ObjectPtr remove_one(const api::ResourceKind& kind, const ObjectPtr& object, const Options& options);
  /// Nothing if the object goes at once.
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
