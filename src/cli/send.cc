#include "cli/send.h"

#include <algorithm>
#include <ostream>

#include "cli/follow.h"
#include "cli/outcome.h"
#include "cli/refusal.h"
#include "cli/submit_record.h"
#include "cli/test_only.h"
#include "cli/wait_for_jobs.h"
#include "kml/api/labels.h"
#include "kml/api/object_name.h"
#include "kml/core/text.h"
#include "kml/jobs/create.h"
#include "kml/jobs/explained_view.h"
#include "kml/jobs/idempotency.h"
#include "kml/jobs/kinds.h"
#include "kml/jobs/records.h"
#include "kml/jobs/secret_env.h"
#include "kml/ui/job_tables.h"
#include "kml/ui/objects.h"

namespace kml::cli {

namespace {

std::string line_for(const Json& object, std::string_view done) {
  std::string name = string_at(object, {"metadata", "name"});
  if (jobs::is_job(object)) return "job " + name + " " + std::string(done);
  return ui::object_name(object) + " " + std::string(done);
}

/// The first `earlier` of them were there already.
void print_created(Context& context, const std::vector<Json>& created, size_t earlier,
                   const SendOptions& options) {
  std::ostream& out = context.streams().out;
  std::vector<Json> shown;
  for (const Json& object : created) shown.push_back(jobs::without_secrets(object));
  if (ui::print_objects(context.streams(), shown, options.output, shown.size() > 1)) return;
  for (size_t i = 0; i < created.size(); ++i)
    out << line_for(created[i], i < earlier               ? "submitted earlier"
                                : options.dry_run.empty() ? "submitted"
                                                          : "would be accepted")
        << "\n";
}

/// What goes to the server, as it may be shown.
std::vector<Json> all_without_secrets(const Prepared& prepared) {
  std::vector<Json> objects;
  for (const jobs::Belonging& belonging : prepared.belongings) objects.push_back(belonging.object);
  for (const Json& object : prepared.objects) objects.push_back(jobs::without_secrets(object));
  return objects;
}

/// What comes with the one job of a template belongs to it; the template says so.
std::vector<Json> parts_of_job(const Prepared& prepared) {
  const auto& objects = prepared.objects;
  const bool has_owner = !prepared.template_name.empty() &&
                         std::count_if(objects.begin(), objects.end(), jobs::is_job) == 1 &&
                         jobs::is_job(objects[0]);
  return has_owner ? std::vector<Json>(objects.begin() + 1, objects.end()) : std::vector<Json>();
}

/// Jobs that an earlier submit with the same key made need no second one.
std::vector<Json> take_earlier(Context& context, Prepared& prepared) {
  if (prepared.key.empty()) return {};
  std::vector<Json> earlier;
  std::vector<Json> missing;
  const auto found = jobs::find_earlier(context.client(), prepared.objects);
  for (size_t i = 0; i < found.size(); ++i) {
    if (!found[i]) {
      missing.push_back(std::move(prepared.objects[i]));
      continue;
    }
    const jobs::JobView view = jobs::view_of_job(*found[i]);
    context.note("job " + view.name + " was made with key " + prepared.key + " " +
                 ui::age(view.created, system_clock().now()) + " ago, and is the one");
    earlier.push_back(*found[i]);
  }
  // What jobs bring along was made with them.
  if (!earlier.empty() && std::none_of(missing.begin(), missing.end(), jobs::is_job)) missing.clear();
  prepared.objects = std::move(missing);
  // Secrets of jobs that are there already.
  std::erase_if(prepared.belongings, [&](const jobs::Belonging& belonging) {
    const std::string name = string_at(belonging.object, {"metadata", "name"});
    return std::none_of(prepared.objects.begin(), prepared.objects.end(),
                        [&](const Json& object) { return jobs::mentions(object, name); });
  });
  return earlier;
}

/// Whether the server has said of each what became of it. If not, `kml history` asks for the run later.
bool is_known(const std::vector<jobs::Creation>& results) {
  return std::none_of(results.begin(), results.end(), [](const jobs::Creation& result) {
    return result.error && result.error->http_status == 0;
  });
}

/// What the server says of objects before those of the same names are removed: it has to take all of them,
/// but for their names.
std::vector<jobs::Creation> refused_replacements(kube::Client& client, const std::vector<Json>& objects) {
  std::vector<jobs::Creation> results = jobs::create_all(client, objects, {.dry_run = true});
  bool is_refused = false;
  for (jobs::Creation& result : results) {
    result.created.reset();
    // Its namespace may come with it; and a webhook with side effects lets nothing be checked.
    if (result.error && (result.error->reason == "AlreadyExists" || result.error->http_status == 404 ||
                         contains(result.error->message, "does not support dry run") ||
                         contains(result.error->why, "does not support dry run")))
      result.error.reset();
    is_refused = is_refused || result.error;
  }
  return is_refused ? results : std::vector<jobs::Creation>();
}

std::vector<jobs::Creation> create(Context& context, const Prepared& prepared, const SendOptions& options) {
  kube::Client& client = context.client();
  const auto progress = [&](size_t done) {
    if (prepared.objects.size() > 1)
      context.progress(std::to_string(done) + " of " + std::to_string(prepared.objects.size()) + " sent");
  };
  const std::string& server = context.target().endpoint.url;
  jobs::settle_abandoned(client, server);
  const std::vector<Json> parts = parts_of_job(prepared);
  const std::vector<Json> objects(prepared.objects.begin(),
                                  prepared.objects.end() - static_cast<long>(parts.size()));
  bool replace = options.replace;
  if (replace)
    if (std::vector<jobs::Creation> refused = refused_replacements(client, prepared.objects);
        !refused.empty())
      return refused;
  if (replace && !parts.empty()) {  // the old parts go with the old job, and leave their names
    jobs::remove_and_wait(client, api::namespace_of(objects[0]), objects[0]);
    replace = false;
  }
  std::vector<jobs::Belonging> list = prepared.belongings;
  for (const Json& part : parts) list.push_back({.object = part, .is_for_all = true});
  jobs::Belongings belongings(client, server, std::move(list), objects);
  try {
    belongings.create();
    std::vector<jobs::Creation> results = jobs::create_all(client, objects, {false, replace, progress});
    std::vector<Json> own;
    for (const jobs::Creation& result : results)
      if (result.created &&
          string_at(*result.created, {"metadata", "labels", api::kSubmitId}) == prepared.submit_id)
        own.push_back(*result.created);
    // Of what was refused, or made by another submit with the same key, nothing stays.
    if (own.size() == results.size())
      belongings.hand_over(own);
    else
      belongings.give_up();
    context.end_progress();
    if (!results.empty() && results[0].created)
      for (size_t i = prepared.belongings.size(); i < belongings.made().size(); ++i)
        results.push_back({belongings.made()[i], {}});
    return results;
  } catch (const Error&) {
    belongings.give_up();
    throw;
  }
}

}  // namespace

void add_send_flags(Command& command, SendOptions& options) {
  command.choice("--dry-run", {"client", "server"}, options.dry_run,
                 "print what would be sent and send nothing, or let the server check it");
  command.options.back().implied = "client";
  command.flag("--test-only", options.test_only,
               "make nothing: say whether it would be taken, and start now, wait, or never run");
  command.flag("--no-check", options.no_check,
               "do not look whether what it names exists and a node is large enough");
  command.flag("--replace", options.replace, "delete a job of that name first");
  command.flag("--follow", options.follow, "follow the log; exit with 3 if the job fails");
  command.flag("--wait", options.wait, "wait for the end; exit with 3 if the job fails");
  command.option("--timeout", "DURATION", options.timeout,
                 "with --wait: give up after that time (exit code 5)");
  command.choice("-o,--output", ui::kFormats, options.output, "print the created objects, or their names");
}

int send(Context& context, Prepared prepared, const SendOptions& options,
         const std::vector<std::string>& command) {
  if (options.follow && options.wait)
    throw usage_error("both --follow and --wait were given", "", "--follow waits too");
  if (options.test_only && (options.follow || options.wait || options.replace || !options.dry_run.empty()))
    throw usage_error("--test-only makes nothing: leave out --follow, --wait, --replace and --dry-run");
  if (options.test_only && options.no_check)
    throw usage_error("both --test-only and --no-check were given", "the test is the check",
                      "use one of them");
  if (options.timeout && !options.wait) throw usage_error("--timeout needs --wait");
  if (options.dry_run == "client") {
    std::string format = options.output.empty() || options.output == "wide" ? "yaml" : options.output;
    const std::vector<Json> shown = all_without_secrets(prepared);
    ui::print_objects(context.streams(), shown, format, shown.size() > 1);
    for (const std::string& slip : misspelt_fields(prepared.objects)) context.note(slip);
    return 0;
  }
  const bool is_dry = options.dry_run == "server";
  std::optional<SubmitRecord> record;
  if (!is_dry && !options.test_only) record.emplace(context);
  const kube::Target& target = context.target();
  context.streams().err << "→ " << target.context << "/" << target.namespace_name << " as " << target.user
                        << std::endl;
  if (options.test_only) return test_only(context, prepared);
  std::vector<Json> shown = take_earlier(context, prepared);
  const size_t earlier = shown.size();
  if (!options.no_check) refuse_hopeless(context, prepared);
  if (is_dry)
    for (const jobs::Belonging& belonging : prepared.belongings)
      prepared.objects.insert(prepared.objects.begin(), belonging.object);
  if (prepared.objects.empty()) record.reset();
  if (record) record->begin(prepared, command);
  std::vector<jobs::Creation> results;
  try {
    results = is_dry ? jobs::create_all(context.client(), prepared.objects, {.dry_run = true})
                     : create(context, prepared, options);
  } catch (const Error& error) {
    if (record)
      record->end(error.http_status == 0 ? std::nullopt : std::optional(std::vector<std::string>()));
    throw;
  }
  const std::optional<Error> error = refusal(context, prepared.objects, results);
  std::vector<std::string> sent;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i].created) continue;
    shown.push_back(std::move(*results[i].created));
    sent.push_back(jobs::job_key(prepared.objects[i]));
  }
  if (record) record->end(is_known(results) ? std::optional(sent) : std::nullopt);
  print_created(context, shown, earlier, options);
  context.streams().out << std::flush;
  if (error) throw *error;
  for (const std::string& note : prepared.notes) context.note(note);
  if (is_dry) return 0;

  std::vector<Json> jobs;
  std::copy_if(shown.begin(), shown.end(), std::back_inserter(jobs), jobs::is_job);
  if (jobs.empty()) return 0;
  if (options.follow) return follow_jobs(context, {{.jobs = jobs, .gone_pods = context.place().is_local}});
  if (options.wait) return wait_for_jobs(context, jobs, options.timeout);
  return 0;
}

}  // namespace kml::cli
