#pragma once

#include <span>
#include <string>
#include <vector>

#include "kml/base/error.h"
#include "kml/base/json.h"
#include "kml/job/submit/belongings.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// The probable result of a submit.
struct Rehearsal {
  std::vector<Error> obstacles;       ///< why the submit would be rejected, or why its pods would never start
  std::vector<std::string> outlooks;  ///< lines about the jobs: "job bert: would wait for 4 GPUs held by gpt"
  std::vector<std::string> unknown;   ///< the checks that could not be made
};

/// Checks a submit without creating anything: whether the user has the necessary rights (access review),
/// whether the objects to which it refers exist, whether admission and quotas accept the objects and their
/// pods (dry runs), and whether Kueue's queue and the nodes have room for the pods. `is_local` means the
/// embedded server.
Rehearsal rehearse(kube::Client& client, const std::vector<Json>& objects,
                   const std::vector<Belonging>& belongings, bool is_local);

/// The result of the checks before a submit.
struct Preflight {
  std::vector<Error> obstacles;       ///< why the pods of the jobs cannot start
  std::vector<std::string> warnings;  ///< why the pods may never start
};

/// Runs those checks of rehearse() that are fast, with parallel GET requests: whether the objects to which
/// the submit refers exist, and whether any node is large enough. Sends nothing if no check is needed. A
/// request that is forbidden or gets no response is not an obstacle.
Preflight preflight(kube::Client& client, const std::vector<Json>& objects,
                    const std::vector<Belonging>& belongings, bool is_local);

/// The secrets and service accounts, other than those among the objects, and the machine's folders that the
/// pods of these objects use: "the secret db", "the service account ci", "the machine's /data".
std::vector<std::string> taken_by(std::span<const Json> objects);

}  // namespace kml::job
