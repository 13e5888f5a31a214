#include "kml/kube/objects/cron_job.h"

#include <utility>

#include "kml/kube/objects/object.h"

namespace kml::api {

std::optional<Time> single_start_of(const Json& cron_job) {
  return parse_rfc3339(annotation_of(cron_job, kStartAt));
}

Time last_scheduled(const Json& cron_job) {
  const auto last = time_at(cron_job, {"status", "lastScheduleTime"});
  return last ? *last : created_at(cron_job).value_or(Time());
}

Json new_job_of(const Json& cron_job, std::string name) {
  const Json& job_template = job_template_of(cron_job);
  Json job = {{"apiVersion", "batch/v1"},
              {"kind", "Job"},
              {"metadata",
               {{"name", std::move(name)},
                {"namespace", namespace_of(cron_job)},
                {"ownerReferences", Json::array({{{"apiVersion", api_version_of(cron_job)},
                                                  {"kind", kind_name(cron_job)},
                                                  {"name", name_of(cron_job)},
                                                  {"uid", uid_of(cron_job)},
                                                  {"controller", true}}})}}},
              {"spec", spec_of(job_template)}};
  set_said(job["metadata"],
           {{"labels", labels_of(job_template)}, {"annotations", annotations_of(job_template)}});
  return job;
}

}  // namespace kml::api
