#include "kml/job/submit/submit.h"
#include "kml/kube/objects/field_types.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

std::vector<std::string> field_faults(const std::vector<Json>& objects) {
  std::vector<std::string> texts;
  for (const Json& object : objects)
    if (const api::ResourceKind* kind = api::kind_of(object))
      for (const api::FieldFault& fault : api::field_faults(*kind, object))
        texts.push_back(api::kind_name(object) + " " + fault.path + ": " + fault.text);
  return texts;
}

}  // namespace kml::job
