#pragma once

#include <span>
#include <string>
#include <vector>

#include "kml/base/error.h"
#include "kml/base/json.h"
#include "kml/job/submit/belongings.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// The expected result of a submit.
struct Rehearsal {
  std::vector<Error> obstacles;  ///< why it would be rejected, or why its pods would never start
  std::vector<std::string>
      outlooks;                      ///< one line for each job: "job bert: would wait for 4 GPUs held by gpt"
  std::vector<std::string> unknown;  ///< what could not be checked
};

/// Checks a submit without creating anything: whether the user has the rights (access review), whether
/// referenced objects exist, whether admission and quotas accept the objects and their pods (dry runs), and
/// whether the pods fit on the nodes. `is_local` means the embedded server.
Rehearsal rehearse(kube::Client& client, const std::vector<Json>& objects,
                   const std::vector<Belonging>& belongings, bool is_local);

/// The result of the checks before a submit.
struct Preflight {
  std::vector<Error> obstacles;       ///< why the jobs' pods cannot start
  std::vector<std::string> warnings;  ///< why they may never start
};

/// Runs the cheap checks of rehearse() with parallel GETs: whether referenced objects exist, and whether any
/// node is large enough. Sends nothing if the objects need no check. Forbidden or unanswered requests are not
/// obstacles.
Preflight preflight(kube::Client& client, const std::vector<Json>& objects,
                    const std::vector<Belonging>& belongings, bool is_local);

/// External things that the pods of these objects use: "the secret db", "the service account ci", "the
/// machine's /data".
std::vector<std::string> taken_by(std::span<const Json> objects);

}  // namespace kml::job
