#include "kml/jobs/submit/submit_record.h"

#include <filesystem>

#include "kml/jobs/records/records.h"
#include "kml/jobs/submit/secret_env.h"

namespace kml::jobs {

SubmitRecord::SubmitRecord() : git_(std::filesystem::current_path()) {}

void SubmitRecord::begin(const SubmitPlan& plan, const kube::Target& target) {
  Run run;
  run.id = run_id_ = plan.submit_id;
  run.time = system_clock().now();
  run.user = plan.user;
  run.context = target.context;
  run.namespace_name = target.namespace_name;
  run.server = target.endpoint.url;
  run.template_name = plan.template_name;
  run.command = plan.command;
  run.code_folder = plan.code_folder;
  run.folder = std::filesystem::current_path();
  for (const Json& object : plan.objects) {
    run.objects.push_back(without_secrets(object));
    take_out_secrets(run.objects.back());
  }
  RunRecords::of_user().add_intent(run);
}

std::string SubmitRecord::end(const std::optional<std::vector<std::string>>& made) try {
  const RunRecords records = RunRecords::of_user();
  if (made) records.add_sent(run_id_, *made);
  const Json git = git_.take();
  if (git.is_null()) return {};
  records.add_git(run_id_, git);
  return bool_at(git, {"diffCut"})
             ? "the run record holds only the first 256 KiB of the differences to the last commit"
             : "";
} catch (const Error& error) {
  return "the record of this submit is not whole: " + error.message;
}

}  // namespace kml::jobs
