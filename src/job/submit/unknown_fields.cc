#include <set>

#include "kml/job/submit/create.h"
#include "kml/job/submit/submit.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

void check_unknown_fields(kube::Client& client, const SubmitPlan& plan) {
  std::set<size_t> judged;
  for (const render::Remark& remark : plan.unknown_fields) {
    if (!judged.insert(remark.object).second) continue;
    const Json& object = plan.objects.at(remark.object);
    try {
      create_as_served(client, client.kind_of(object), api::namespace_of(object), object, true);
    } catch (const Error& rejection) {
      const bool is_about_content = rejection.http_status == 400 || rejection.http_status == 422;
      if (!is_about_content) continue;  // creating the object will cause the same error
      Error error = usage_error("the server rejects the manifests", rejection.why, "correct them");
      for (const render::Remark& each : plan.unknown_fields) error.problems.push_back(each.problem);
      throw error;
    }
  }
}

}  // namespace kml::job
