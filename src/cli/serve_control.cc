#include <algorithm>
#include <map>
#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/follow.h"
#include "cli/output_format.h"
#include "cli/serve_view.h"
#include "kml/api/container.h"
#include "kml/api/idle.h"
#include "kml/api/job.h"
#include "kml/api/labels.h"
#include "kml/api/object.h"
#include "kml/api/pod.h"
#include "kml/core/text.h"
#include "kml/jobs/serve/manifests.h"
#include "kml/ui/job_tables.h"
#include "kml/ui/objects.h"
#include "kml/ui/table.h"

namespace kml::cli {

namespace {

struct ServeControlOptions {
  std::vector<std::string> names;
  std::optional<long long> revision, tail;
  std::string output;
  bool all_namespaces = false, follow = false, previous = false;
};

const api::ResourceKind& served_kind() {
  return *api::find_kind("apps/v1", "Deployment");
}
const api::ResourceKind& front_kind() {
  return *api::find_kind("v1", "Service");
}

/// What was typed; for a Deployment of `kml submit -t serve`, the command of its container.
std::string typed_of(const Json& deployment) {
  if (std::string typed = api::annotation_of(deployment, api::kCommand); !typed.empty()) return typed;
  const Json& containers = api::containers_in(api::spec_of(api::pod_template_of(deployment)));
  std::vector<std::string> words;
  for (const Json& word : containers.empty() ? Json::array() : api::command_of(containers[0]))
    if (word.is_string()) words.push_back(word);
  return shell_quoted(words);
}

int run_serve_list(Context& context, const ServeControlOptions& options) {
  const std::string namespace_name = context.list_namespace(options.all_namespaces);
  const kube::ListOptions selection{.label_selector = jobs::serve_selector()};
  const std::vector<Json> served = context.client().list(served_kind(), namespace_name, selection).items;
  if (ui::print_objects(context.streams(), served, options.output, true)) return 0;
  std::map<std::string, std::string> urls;
  for (const Json& service : context.client().list(front_kind(), namespace_name, selection).items)
    urls[api::full_name_of(service)] = url_of(context.place().is_local, service);
  std::vector<std::string> header = {"NAME",  "READY",   "REVISION", "AGE",
                                     "STATE", "ADDRESS", "INPUTS",   "COMMAND"};
  if (options.all_namespaces) header.insert(header.begin(), "NAMESPACE");
  ui::Table table(header);
  table.may_drop({"INPUTS"});
  for (const Json& one : served) {
    const long long ready = int_at(one, {"status", "readyReplicas"}),
                    wanted = int_at(one, {"spec", "replicas"});
    std::vector<ui::Cell> row = {{api::name_of(one)},
                                 {std::to_string(ready) + "/" + std::to_string(wanted),
                                  ready < wanted ? ui::Style::yellow : ui::Style::plain},
                                 {std::to_string(jobs::revision_number(one))},
                                 {ui::age(api::created_at(one), system_clock().now())},
                                 {state_of_served(one)},
                                 {ui::or_dash(urls[api::full_name_of(one)])},
                                 {ui::or_dash(api::annotation_of(one, jobs::kServedInputs))},
                                 {typed_of(one)}};
    if (options.all_namespaces) row.insert(row.begin(), ui::Cell{api::namespace_of(one)});
    table.add(std::move(row));
  }
  if (table.empty())
    context.note("nothing is served");
  else
    table.print(context.streams());
  return 0;
}

int run_serve_logs(Context& context, const ServeControlOptions& options) {
  const std::string& name = options.names[0];
  jobs::find_served(context.client(), context.target().namespace_name, name);
  FollowOptions follow{.selection = {.namespace_name = context.target().namespace_name,
                                     .pod_selector = jobs::serve_selector(name),
                                     .previous = options.previous,
                                     .tail = options.tail}};
  if (options.follow) return follow_jobs(context, follow);
  print_logs(context, follow);
  return 0;
}

/// The revision to go back to. Throws Error if there is none.
Json earlier_revision(Context& context, const Json& served, const std::optional<long long>& wanted) {
  std::vector<std::string> numbers;
  for (const Json& set : jobs::served_revisions(context.client(), served)) {
    const long long number = jobs::revision_number(set);
    if (number == jobs::revision_number(served)) continue;
    if (!wanted || number == *wanted) return set;
    numbers.push_back(std::to_string(number));
  }
  throw usage_error(wanted ? api::name_of(served) + " has no earlier revision " + std::to_string(*wanted)
                           : api::name_of(served) + " has no earlier revision",
                    numbers.empty() ? "" : "earlier revisions: " + join(numbers, ", "));
}

int run_serve_rollback(Context& context, const ServeControlOptions& options) {
  const std::string& name = options.names[0];
  context.tell_target();
  const Json served = jobs::find_served(context.client(), context.target().namespace_name, name);
  const Json set = earlier_revision(context, served, options.revision);
  jobs::roll_back(context.client(), served, set, api::replicas_when_used(served));
  constexpr auto kLimit = std::chrono::minutes(10);
  if (const auto failure = follow_rollout(context, name, kLimit)) {
    print_last_lines(context, *failure);
    throw Error(ErrorCode::job_failed, "the rollback of " + name + " failed", failure->cause, failure->fix);
  }
  context.streams().out << name << " is rolled back to revision " << jobs::revision_number(set) << "\n";
  return 0;
}

int run_serve_stop(Context& context, const ServeControlOptions& options) {
  context.tell_target();
  for (const std::string& name : options.names) {
    jobs::stop_served(context.client(),
                      jobs::find_served(context.client(), context.target().namespace_name, name));
    context.streams().out << name << " is stopped" << std::endl;
  }
  return 0;
}

void takes_served(Command& command, ServeControlOptions& options, size_t most) {
  command.takes("NAME", options.names, "the name given to `kml serve`", 1, most);
}

}  // namespace

Command serve_list_command() {
  auto options = std::make_shared<ServeControlOptions>();
  Command command{"list", "List the served programs and their addresses"};
  command.examples = "kml serve list\nkml serve list -A";
  command.flag("-A,--all-namespaces", options->all_namespaces, "in all namespaces");
  add_output_format(command, {"json", "yaml", "name"}, options->output, "print the Deployments");
  command.run = [options](Context& context) { return run_serve_list(context, *options); };
  return command;
}

Command serve_logs_command() {
  auto options = std::make_shared<ServeControlOptions>();
  Command command{"logs", "Print the logs of all replicas"};
  command.examples =
      "kml serve logs iris --tail 20\n# What the replicas said before they crashed\nkml serve logs iris "
      "--previous";
  takes_served(command, *options, 1);
  command.flag("-f,--follow", options->follow, "keep printing new lines, also of new replicas, until Ctrl-C");
  command.option("--tail", "N", options->tail, "only the last N lines of each replica");
  command.flag("--previous", options->previous, "the log from before the container's last restart");
  command.run = [options](Context& context) { return run_serve_logs(context, *options); };
  return command;
}

Command serve_rollback_command() {
  auto options = std::make_shared<ServeControlOptions>();
  Command command{"rollback", "Go back to an earlier revision, and wait until it runs"};
  command.examples = "kml serve rollback iris\nkml serve rollback iris --revision 1";
  takes_served(command, *options, 1);
  command.option("--revision", "N", options->revision, "the revision; the default is the one before");
  command.run = [options](Context& context) { return run_serve_rollback(context, *options); };
  return command;
}

Command serve_stop_command() {
  auto options = std::make_shared<ServeControlOptions>();
  Command command{"stop", "Stop serving: delete the Deployment and the Service"};
  command.examples = "kml serve stop iris";
  takes_served(command, *options, 1'000);
  command.run = [options](Context& context) { return run_serve_stop(context, *options); };
  return command;
}

}  // namespace kml::cli
