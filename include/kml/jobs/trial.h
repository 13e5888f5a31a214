#pragma once

#include <string>
#include <vector>

#include "kml/core/error.h"
#include "kml/core/json.h"
#include "kml/jobs/belongings.h"
#include "kml/kube/client.h"

namespace kml::jobs {

/// What a submit would come to.
struct Trial {
  std::vector<Error> obstacles;  ///< why it would be refused, or its pods never start
  std::vector<std::string>
      outlooks;                      ///< one line for each job: "job bert: would wait for 4 GPUs held by gpt"
  std::vector<std::string> unknown;  ///< what could not be looked into
};

/// Asks the server without making anything: may this user do it (access review), does what the pods refer to
/// exist, do admission and quota take the objects and their pods (dry runs), and have the nodes room.
Trial try_submit(kube::Client& client, const std::vector<Json>& objects,
                 const std::vector<Belonging>& belongings);

}  // namespace kml::jobs
