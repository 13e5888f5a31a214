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
void check_activator_flags(Context& context, const jobs::ServeSettings& settings, const ActivatorFlags& flags,
                           bool is_there);
/// Whether the program has an activator on the cluster.
bool has_activator(Context& context, const std::string& name);

/// The objects of the activator that --idle makes on a cluster, for --dry-run; none without an image.
std::vector<Json> activator_manifests(Context& context, const Json& deployment, int port,
                                      const ActivatorFlags& flags);

/// Lets the Service of a Deployment on a cluster lead to an activator if the Deployment is scaled to zero
/// while it is not used, otherwise to its pods. Creates, updates or deletes the activator. Throws Error.
void set_front(Context& context, const Json& deployment, int port, const ActivatorFlags& flags);

/// If not all pods of the existing Deployment are ready, lets the wanted one replace them, even if it is the
/// same: they may wait for minutes before they try again.
void replace_unready(const Json& existing, Json& wanted);

}  // namespace kml::cli
