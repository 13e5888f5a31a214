#pragma once

#include <span>
#include <string>
#include <vector>

#include "kml/core/error.h"
#include "kml/core/json.h"
#include "kml/jobs/submit/belongings.h"
#include "kml/kube/client.h"

namespace kml::jobs {

/// What a submit would come to.
struct Rehearsal {
  std::vector<Error> obstacles;  ///< why it would be refused, or its pods never start
  std::vector<std::string>
      outlooks;                      ///< one line for each job: "job bert: would wait for 4 GPUs held by gpt"
  std::vector<std::string> unknown;  ///< what could not be looked into
};

/// Asks the server without making anything: may this user do it (access review), does what the pods refer to
/// exist, do admission and quota take the objects and their pods (dry runs), and have the nodes room.
/// `is_local`: it is the embedded server.
Rehearsal rehearse(kube::Client& client, const std::vector<Json>& objects,
                   const std::vector<Belonging>& belongings, bool is_local);

/// What a submit looks into before it sends anything.
struct Preflight {
  std::vector<Error> obstacles;       ///< for which the jobs' pods certainly never start
  std::vector<std::string> warnings;  ///< for which they may never start
};

/// The cheap part of rehearse(), in GETs side by side: does what the pods refer to exist, and is there a
/// node that is large enough. Sends nothing if the objects name nothing of the kind. What may not be read,
/// or is not answered, is not an obstacle.
Preflight preflight(kube::Client& client, const std::vector<Json>& objects,
                    const std::vector<Belonging>& belongings, bool is_local);

/// What the pods of these objects take that their files do not hold: "the secret db", "the service account
/// ci", "the machine's /data".
std::vector<std::string> taken_by(std::span<const Json> objects);

}  // namespace kml::jobs
