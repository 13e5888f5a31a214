#include "job/submit/local_kinds.h"

#include "kml/base/error.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

void require_local_kinds(const std::vector<Json>& objects) {
  for (const Json& object : objects) {
    const std::string kind = api::kind_name(object);
    if (kind == "Experiment" && api::api_version_of(object).starts_with("kubeflow.org/"))
      throw usage_error("the embedded server has no Katib", "", "let kml run it: kml sweep run -f FILE");
    if (is_job(object) && !is_plain_job(object) && kind != "PyTorchJob")
      throw usage_error("the embedded server cannot run " + shown_kind(object) + "s",
                        "it has no controller for this kind",
                        "use -t job-indexed or -t pytorchjob here, or a cluster: --context NAME");
  }
}

}  // namespace kml::job
