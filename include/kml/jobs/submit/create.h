#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "kml/core/error.h"
#include "kml/core/json.h"
#include "kml/kube/client.h"

namespace kml::jobs {

/// Creates the object exactly once. Where the answer to the request was lost, it looks the name up and takes
/// an object with the same submit-id for its own. Throws Error "AlreadyExists" for a name that is taken.
Json create_once(kube::Client& client, std::string_view namespace_name, const Json& object);

/// Deletes the object of that kind and name, if there is one, and waits until it and what it owns are gone.
void remove_and_wait(kube::Client& client, std::string_view namespace_name, const Json& object);

/// What became of one object: as the server stored it, or why it did not. Neither where it was not tried.
struct Creation {
  std::optional<Json> created;
  std::optional<Error> error;
};

struct CreateOptions {
  bool dry_run = false;  ///< the server only checks
  bool replace = false;  ///< those of the same names are removed first
  std::function<void(size_t done)> on_progress = {};
};

/// Creates each object exactly once; the result has one entry an object, in order. Objects of one kind that
/// follow each other go together, all of them even where some are refused; what comes after a refused one is
/// not tried, for it may need it (a namespace, a config map).
std::vector<Creation> create_all(kube::Client& client, const std::vector<Json>& objects,
                                 const CreateOptions& options);

}  // namespace kml::jobs
