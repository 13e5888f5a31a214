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

/// Kind and "name", for messages.
std::string described(const Json& object);

/// Sends one POST. A TrainJob takes the shape that the cluster's version of Kubeflow Trainer has: the server
/// rejects other shapes before it creates anything. With `dry_run`, the server only checks.
Json create_as_served(kube::Client& client, const api::ResourceKind& kind, std::string_view namespace_name,
                      const Json& object, bool dry_run = false);

/// Creates the object exactly once. If the response was lost, looks up the name and accepts an object with
/// the same submit-id. Throws Error "AlreadyExists" if another object has the name.
Json create_once(kube::Client& client, std::string_view namespace_name, const Json& object);

/// Deletes the object of that kind and name, if it exists, and waits until it and its dependents are gone.
void remove_and_wait(kube::Client& client, std::string_view namespace_name, const Json& object);

/// The result for one object: the stored object, or the error. Neither if it was not tried.
struct Creation {
  std::optional<Json> created;
  std::optional<Error> error;
};

struct CreateOptions {
  bool dry_run = false;  ///< the server only checks
  bool replace = false;  ///< removes existing objects of the same names first
  std::function<void(size_t done)> on_progress = {};
};

/// Creates each object exactly once. The result has one entry per object, in order. Consecutive objects of
/// one kind are sent together, all of them even if some are rejected. After a refusal, later objects are not
/// tried, because they may need the rejected one (a namespace, a ConfigMap).
std::vector<Creation> create_all(kube::Client& client, const std::vector<Json>& objects,
                                 const CreateOptions& options);

}  // namespace kml::job
