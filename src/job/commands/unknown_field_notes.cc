#include "job/commands/unknown_field_notes.h"

#include <string>

#include "kml/kube/objects/field_types.h"

namespace kml::cli {

void note_unknown_fields(Context& context, const job::SubmitPlan& plan, bool has_checked) {
  for (const render::Remark& remark : plan.unknown_fields) {
    const api::ResourceKind* kind = api::kind_of(plan.objects.at(remark.object));
    if (has_checked && kind && api::has_field_types(*kind)) continue;
    context.note(describe(remark.problem) + " (in Kubernetes " + std::string(api::kFieldsVersion) + ")");
  }
}

}  // namespace kml::cli
