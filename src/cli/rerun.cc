#include "kml/jobs/submit/rerun.h"

#include <algorithm>
#include <iostream>
#include <memory>

#include "cli/commands.h"
#include "cli/send.h"
#include "kml/core/files.h"
#include "kml/jobs/submit/marks.h"
#include "kml/jobs/submit/secret_env.h"
#include "kml/jobs/views/kinds.h"

namespace kml::cli {

namespace {

struct RerunOptions {
  std::vector<std::string> words;
  SendOptions send;
};

/// Things that a run brings along, such as config maps, may still be there.
void drop_what_exists(Context& context, std::vector<Json>& objects) {
  kube::Client& client = context.client();
  std::erase_if(objects, [&](const Json& object) {
    return !jobs::is_job(object) &&
           client.get_if_exists(client.kind_of(object), string_at(object, {"metadata", "namespace"}),
                                string_at(object, {"metadata", "name"}));
  });
}

int run_rerun(Context& context, const RerunOptions& options) {
  const std::vector<jobs::Run> runs = jobs::RunRecords::of_user().read();
  const jobs::Run& run = jobs::find_run(runs, options.words[0]);
  if (run.context != context.place().context)
    throw usage_error("that run went to context " + run.context + ", not " + context.place().context, "",
                      "--context " + run.context);
  jobs::SubmitPlan plan;
  plan.user = jobs::user_name();
  jobs::Marks marks = jobs::new_marks(plan.user, "job", run.command);
  plan.submit_id = marks.submit_id;
  plan.template_name = run.template_name;
  plan.command = run.command;
  std::vector<Json> objects = jobs::objects_to_run_again(run);
  const std::string secret_object = jobs::secret_object_name(marks.submit_id);
  const auto secrets = jobs::rename_secret_object(objects, jobs::secret_object_name(run.id), secret_object);
  const auto values = jobs::read_secret_values(secrets, std::cin);
  jobs::put_in_secrets(objects, environment);
  plan.objects = jobs::marked(std::move(objects), marks);
  plan.belongings = jobs::secret_belongings(values, secret_object, marks, plan.objects);
  plan.code_folder = run.code_folder;
  for (jobs::Belonging& part :
       jobs::code_to_run_again([&]() -> kube::Client& { return context.client(); }, run, marks, plan.objects))
    plan.belongings.push_back(std::move(part));
  if (options.send.dry_run.empty()) drop_what_exists(context, plan.objects);
  return send(context, std::move(plan), options.send);
}

}  // namespace

Command rerun_command() {
  auto options = std::make_shared<RerunOptions>();
  Command command{"rerun", "Submit an earlier run again, under a new name"};
  command.description =
      "The manifests are those of the record, and so is code that --code took along; other code is what the "
      "folder or "
      "the\n"
      "image holds now. Secret variables are taken from the environment again. `kml history` tells at which "
      "commit it "
      "ran.";
  command.takes("RUN", options->words, "a run's id of `kml history`, or its job's name", 1, 1);
  add_send_flags(command, options->send);
  command.run = [options](Context& context) { return run_rerun(context, *options); };
  return command;
}

}  // namespace kml::cli
