#include "cli/send.h"

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "cli/follow.h"
#include "cli/outcome.h"
#include "cli/wait_for_jobs.h"
#include "kml/jobs/kinds.h"
#include "kml/jobs/records.h"
#include "kml/jobs/submit.h"
#include "kml/ui/objects.h"

namespace kml::cli {

namespace {

std::string line_for(const Json& object, std::string_view done) {
  std::string name = string_at(object, {"metadata", "name"});
  if (jobs::is_job(object)) return "job " + name + " " + std::string(done);
  return ui::object_name(object) + " " + std::string(done);
}

void print_created(Context& context, const std::vector<Json>& created, const SendOptions& options) {
  std::ostream& out = context.streams().out;
  std::vector<Json> shown;
  for (const Json& object : created) shown.push_back(jobs::without_secrets(object));
  if (ui::print_objects(context.streams(), shown, options.output, shown.size() > 1)) return;
  for (const Json& object : created)
    out << line_for(object, options.dry_run.empty() ? "submitted" : "would be accepted") << "\n";
}

void keep_record(Context& context, const Prepared& prepared, const std::vector<std::string>& command) {
  jobs::Run run;
  run.id = prepared.submit_id;
  run.time = system_clock().now();
  run.user = prepared.user;
  run.context = context.target().context;
  run.namespace_name = context.target().namespace_name;
  run.server = context.target().endpoint.url;
  run.template_name = prepared.template_name;
  run.command = command;
  run.folder = std::filesystem::current_path();
  for (const Json& object : prepared.objects) run.objects.push_back(jobs::without_secrets(object));
  run.git = jobs::git_state(run.folder);
  jobs::RunRecords::of_user().add(run);
  if (bool_at(run.git, {"diffCut"}))
    context.note("the run record holds only the first 256 KiB of the differences to the last commit");
}

/// What goes to the server, as it may be shown.
std::vector<Json> all_without_secrets(const Prepared& prepared) {
  std::vector<Json> objects;
  for (const jobs::Belonging& belonging : prepared.belongings) objects.push_back(belonging.object);
  for (const Json& object : prepared.objects) objects.push_back(jobs::without_secrets(object));
  return objects;
}

std::vector<Json> create_dry(Context& context, const Prepared& prepared) {
  kube::Client& client = context.client();
  std::vector<Json> objects;
  for (const jobs::Belonging& belonging : prepared.belongings) objects.push_back(belonging.object);
  objects.insert(objects.end(), prepared.objects.begin(), prepared.objects.end());
  for (Json& object : objects)
    object =
        client.create(client.kind_of(object), string_at(object, {"metadata", "namespace"}), object, true);
  return objects;
}

std::vector<Json> create_all(Context& context, const Prepared& prepared, const SendOptions& options) {
  kube::Client& client = context.client();
  const std::string& server = context.target().endpoint.url;
  jobs::settle_abandoned(client, server);
  jobs::Belongings belongings(client, server, prepared.belongings, prepared.objects);
  std::vector<Json> created;
  try {
    belongings.create();
    for (const Json& object : prepared.objects) {
      const std::string namespace_name = string_at(object, {"metadata", "namespace"});
      if (options.replace) jobs::remove_and_wait(client, namespace_name, object);
      created.push_back(jobs::create_once(client, namespace_name, object));
    }
    belongings.hand_over(created);
  } catch (Error& error) {
    for (const Json& done : created) context.note(line_for(done, "was submitted before the error"));
    belongings.give_up();
    throw;
  }
  return created;
}

}  // namespace

void add_send_flags(Command& command, SendOptions& options) {
  command.choice("--dry-run", {"client", "server"}, options.dry_run,
                 "print what would be sent and send nothing, or let the server check it");
  command.options.back().implied = "client";
  command.flag("--replace", options.replace, "delete a job of that name first");
  command.flag("--follow", options.follow, "follow the log; exit with 3 if the job fails");
  command.flag("--wait", options.wait, "wait for the end; exit with 3 if the job fails");
  command.option("--timeout", "DURATION", options.timeout,
                 "with --wait: give up after that time (exit code 5)");
  command.choice("-o,--output", ui::kFormats, options.output, "print the created objects, or their names");
}

int send(Context& context, const Prepared& prepared, const SendOptions& options,
         const std::vector<std::string>& command) {
  if (options.follow && options.wait)
    throw usage_error("both --follow and --wait were given", "", "--follow waits too");
  if (options.timeout && !options.wait) throw usage_error("--timeout needs --wait");
  if (options.dry_run == "client") {
    std::string format = options.output.empty() || options.output == "wide" ? "yaml" : options.output;
    const std::vector<Json> shown = all_without_secrets(prepared);
    ui::print_objects(context.streams(), shown, format, shown.size() > 1);
    return 0;
  }
  const kube::Target& target = context.target();
  context.streams().err << "→ " << target.context << "/" << target.namespace_name << " as " << target.user
                        << std::endl;
  std::vector<Json> created =
      options.dry_run == "server" ? create_dry(context, prepared) : create_all(context, prepared, options);
  print_created(context, created, options);
  context.streams().out << std::flush;
  for (const std::string& note : prepared.notes) context.note(note);
  if (options.dry_run == "server") return 0;
  keep_record(context, prepared, command);

  std::vector<Json> jobs;
  std::copy_if(created.begin(), created.end(), std::back_inserter(jobs),
               [](const Json& object) { return jobs::is_job(object); });
  if (jobs.empty()) return 0;
  if (options.follow) return follow_jobs(context, jobs, {});
  if (options.wait) return wait_for_jobs(context, jobs, options.timeout);
  return 0;
}

}  // namespace kml::cli
