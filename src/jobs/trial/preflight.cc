#include "jobs/trial/missing.h"
#include "kml/jobs/trial.h"

namespace kml::jobs {

Preflight look_before_submit(kube::Client& client, const std::vector<Json>& objects,
                             const std::vector<Belonging>& belongings, bool is_local) {
  return {MissingObjects(client, objects, belongings, is_local).find()};
}

}  // namespace kml::jobs
