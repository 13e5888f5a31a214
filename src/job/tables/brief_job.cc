#include "job/tables/brief_job.h"

#include "kml/job/why/cause.h"
#include "kml/kube/objects/object.h"

namespace kml::ui {

Json brief_json(const job::JobView& job) {
  const auto known = [&](long long number) { return job.is_size_unknown ? Json() : Json(number); };
  Json json = {{"name", job.name},           {"namespace", job.namespace_name},
               {"kind", job.kind},           {"state", job::name_of(job.state)},
               {"gpus", known(job.gpus)},    {"pods", known(job.pods)},
               {"podsRunning", job.running}, {"created", rfc3339(job.created)}};
  set_said(json, {{"user", job.user},
                  {"cause", job.cause},
                  {"started", api::time_text(job.started)},
                  {"finished", api::time_text(job.finished)},
                  {"priorityClass", job.priority_class},
                  {"nodes", job.nodes}});
  if (job.cause_code != job::CauseCode::none) json["code"] = job::text_of(job.cause_code);
  return json;
}

}  // namespace kml::ui
