#include "cli/job_selection.h"

#include <memory>
#include <ostream>
#include <utility>

#include "kml/jobs/views/find.h"

namespace kml::cli {

void add_job_selection(Command& command, JobSelection& selection) {
  command.takes("JOB", selection.names, "names of jobs", 0);
  command.option("-l,--selector", "LABELS", selection.selector,
                 "jobs with these labels: a=b,c!=d,e in (f,g)");
  command.flag("--all", selection.all, "all jobs of the namespace");
}

std::vector<Json> selected_jobs(Context& context, const JobSelection& selection) {
  bool by_name = !selection.names.empty();
  bool by_list = selection.all || !selection.selector.empty();
  if (by_name == by_list)
    throw usage_error(by_name ? "both names and -l or --all were given" : "which jobs?",
                      by_name ? "" : "no job was named", "name them, or select them with -l LABELS");
  kube::Client& client = context.client();
  const std::string& namespace_name = context.place().namespace_name;
  if (by_list) return jobs::list_jobs(client, namespace_name, selection.selector);
  std::vector<Json> found;
  for (const std::string& name : selection.names)
    found.push_back(jobs::find_job(client, namespace_name, name));
  return found;
}

namespace {

/// "deleted"
std::string participle(const std::string& verb) {
  if (verb == "cancel") return "cancelled";
  return verb + (verb.ends_with('e') ? "d" : "ed");
}

/// One wrong name keeps the others from being touched.
std::vector<Json> all_named(Context& context, const JobSelection& selection, const std::string& verb) {
  try {
    return selected_jobs(context, selection);
  } catch (Error& error) {
    if (error.reason == "NotFound" && selection.names.size() > 1)
      error.message += "; nothing was " + participle(verb);
    throw;
  }
}

}  // namespace

Command command_for_each_job(std::string name, std::string summary,
                             std::function<std::string(Context&, const Json& job)> act) {
  auto selection = std::make_shared<JobSelection>();
  Command command{std::move(name), std::move(summary)};
  add_job_selection(command, *selection);
  command.run = [selection, verb = command.name, act = std::move(act)](Context& context) {
    std::vector<Json> jobs = all_named(context, *selection, verb);
    if (jobs.empty()) context.note("no such jobs in namespace " + context.place().namespace_name);
    for (const Json& job : jobs) context.streams().out << act(context, job) << std::endl;
    return 0;
  };
  return command;
}

}  // namespace kml::cli
