#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/error.h"
#include "kml/base/json.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// The object for messages: its kind and "name".
std::string described(const Json& object);

/// Sends one POST request. If the server rejects a TrainJob because its version of Kubeflow Trainer needs
/// different fields, sends the TrainJob with those fields. The server rejects wrong fields before it creates
/// anything. With `dry_run`, the server only checks the object.
Json create_as_served(kube::Client& client, const api::ResourceKind& kind, std::string_view namespace_name,
                      const Json& object, bool dry_run = false);

/// Creates the object exactly once. If the response is lost, looks up the name, and accepts an object that
/// has the same submit-id, or the same idempotency key and content. Throws Error (AlreadyExists) if a
/// different object has the name.
Json create_once(kube::Client& client, std::string_view namespace_name, const Json& object);

/// Deletes the object with this kind and name, if it exists. Waits until it and its dependents no longer
/// exist. Calls `on_wait` with the reason if that may take long, because a node does not answer. Throws Error
/// if they still exist after five minutes.
void remove_and_wait(kube::Client& client, std::string_view namespace_name, const Json& object,
                     const std::function<void(const std::string& why)>& on_wait = {});

/// The result for one object: the stored object or the Error. Neither is set if the object was not tried.
struct Creation {
  std::optional<Json> created;
  std::optional<Error> error;
  /// whether the object was created, and then deleted because its job was rejected
  bool was_taken_back = false;
};

struct CreateOptions {
  bool dry_run = false;  ///< the server only checks the objects
  bool replace = false;  ///< first removes existing objects with the same names
  std::function<void(size_t done)> on_progress = {};
  std::function<void(const std::string& why)> on_wait = {};  ///< called if the user would notice a wait
};

/// Creates each object at most once. The result has an entry for each object, in the same order. Consecutive
/// objects of the same kind are sent together, and all of them are sent even if some are rejected. After a
/// rejection, objects of other kinds are not tried, because they may need the rejected object (a namespace, a
/// ConfigMap); with `dry_run`, they are. If the server cannot call a webhook, gives up a minute after the
/// last successful creation, and does not try the remaining objects.
std::vector<Creation> create_all(kube::Client& client, const std::vector<Json>& objects,
                                 const CreateOptions& options);

}  // namespace kml::job
