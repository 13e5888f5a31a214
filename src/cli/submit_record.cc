#include "cli/submit_record.h"

#include <filesystem>

#include "kml/jobs/records.h"
#include "kml/jobs/secret_env.h"

namespace kml::cli {

SubmitRecord::SubmitRecord(Context& context) : context_(context), git_(std::filesystem::current_path()) {}

void SubmitRecord::begin(const Prepared& prepared, const std::vector<std::string>& command) {
  jobs::Run run;
  run.id = run_id_ = prepared.submit_id;
  run.time = system_clock().now();
  run.user = prepared.user;
  run.context = context_.target().context;
  run.namespace_name = context_.target().namespace_name;
  run.server = context_.target().endpoint.url;
  run.template_name = prepared.template_name;
  run.command = command;
  run.code_folder = prepared.code_folder;
  run.folder = std::filesystem::current_path();
  for (const Json& object : prepared.objects) {
    run.objects.push_back(jobs::without_secrets(object));
    jobs::take_out_secrets(run.objects.back());
  }
  jobs::RunRecords::of_user().add_intent(run);
}

void SubmitRecord::end(const std::optional<std::vector<std::string>>& made) try {
  const jobs::RunRecords records = jobs::RunRecords::of_user();
  if (made) records.add_sent(run_id_, *made);
  const Json git = git_.take();
  if (git.is_null()) return;
  records.add_git(run_id_, git);
  if (bool_at(git, {"diffCut"}))
    context_.note("the run record holds only the first 256 KiB of the differences to the last commit");
} catch (const Error& error) {
  context_.note("the record of this submit is not whole: " + error.message);
}

}  // namespace kml::cli
