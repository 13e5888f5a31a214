#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/context.h"
#include "kml/base/json.h"
#include "kml/serve/model/manifests.h"

namespace kml::cli {

/// The flags of the activator: the pod of a cluster that takes the requests of `kml serve --idle`.
struct ActivatorFlags {
  std::string image, account;
};
void add_activator_flags(Command& command, ActivatorFlags& flags);

/// Throws usage Error if these flags do not fit the target or --idle. `is_there` says whether the program has
/// an activator.
void check_activator_flags(Context& context, const serve::ServeSettings& settings,
                           const ActivatorFlags& flags, bool is_there);

/// The objects of the activator that --idle creates on a cluster, for --dry-run; none without an image.
std::vector<Json> activator_manifests(Context& context, const Json& deployment, int port,
                                      const ActivatorFlags& flags);

/// Lets the Service of a Deployment on a cluster lead to an activator, if it needs one: see
/// serve::set_front(). Throws Error if the activator does not run.
void set_front(Context& context, const Json& deployment, int port, const ActivatorFlags& flags);

}  // namespace kml::cli
