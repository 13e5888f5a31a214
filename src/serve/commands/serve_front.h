#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/context.h"
#include "kml/base/json.h"
#include "kml/serve/model/manifests.h"

namespace kml::cli {

/// Flags for the activator: the pod that receives the requests of `kml serve --idle` in a cluster.
struct ActivatorFlags {
  std::string image, account;
};
void add_activator_flags(Command& command, ActivatorFlags& flags);

/// Throws usage Error if these flags are given for a model without an idle limit, or if the image for the
/// model's first activator is missing. On this machine, says that the flags have no effect. `is_there` says
/// whether the model already has an activator.
void check_activator_flags(Context& context, const serve::ServeSettings& settings,
                           const ActivatorFlags& flags, bool is_there);

/// For --dry-run and --plan: the objects of the activator that --idle creates on a cluster. Empty without an
/// image, and on this machine.
std::vector<Json> activator_manifests(Context& context, const Json& deployment, int port,
                                      const ActivatorFlags& flags);

/// Directs the Service of a Deployment on a cluster to an activator, if it needs one: see serve::set_front().
/// Throws Error if the activator does not run.
void set_front(Context& context, const Json& deployment, const ActivatorFlags& flags);

}  // namespace kml::cli
