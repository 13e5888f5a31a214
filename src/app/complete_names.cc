#include "app/complete_names.h"

#include <algorithm>
#include <functional>
#include <sstream>

#include "cli/own_words.h"
#include "cli/parse.h"
#include "kml/base/text.h"
#include "kml/job/capacity/kind_listing.h"
#include "kml/job/capacity/queue_names.h"
#include "kml/job/records/records.h"
#include "kml/job/views/find.h"
#include "kml/job/views/job_view.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/list/brief_list.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/resource.h"
#include "kml/local/daemon.h"
#include "kml/pipeline/engine/runs.h"
#include "kml/sweep/journal/journal.h"
#include "pod/commands/copy_side.h"
#include "pod/commands/named_rank.h"

namespace kml::cli {

namespace {

using Values = std::vector<CompletionValue>;

/// Whether the server may be asked: a cluster, or the embedded server if it is running. Pressing TAB does not
/// start the embedded server.
bool has_server(Context& context) {
  return !context.place().is_local || local::status({}).running;
}

/// Whether the command can act on a job in this state. Commands that are not listed here, such as `kml
/// status`, accept any state.
bool fits(const NameQuestion& question, job::State state) {
  using enum job::State;
  const std::string& path = question.path;
  const bool has_ended = job::has_ended(state);
  if (path == "kml cancel") return !has_ended;
  if (path == "kml suspend") return !has_ended && state != suspended;
  if (path == "kml resume") return state == suspended;
  if (question.name.starts_with(kJobAndRank) || are_sides(question.name) || path == "kml hang")
    return job::has_running_pods(state);
  if (path == "kml wait") return !has_ended || question.flags.contains("--for");
  if (path == "kml logs") return has_ended || state == running || question.flags.contains("--follow");
  return true;
}

/// Uses the state in the job's status. Listing the pods as well would take twice as long.
Values jobs_for(Context& context, const NameQuestion& question) {
  std::vector<kube::BriefQuery> queries;
  const std::string& namespace_name = context.place().namespace_name;
  for (const api::ResourceKind* kind : job::kinds_to_ask(context.client(), namespace_name))
    queries.push_back({.kind = kind, .namespace_name = namespace_name, .may_be_old = true});
  Values values;
  for (const kube::BriefList& list : kube::list_briefly(context.client(), queries))
    for (const Json& job : list.items) {
      const job::State state = job::basic_view_of_job(job).state;
      if (!job::is_part_of_job(job) && fits(question, state))
        values.push_back({api::name_of(job), std::string(job::name_of(state))});
    }
  return values;
}

/// "bert:"
Values jobs_to_copy_from(Context& context, const NameQuestion& question) {
  Values values = jobs_for(context, question);
  for (CompletionValue& value : values) value.text += ":";
  return values;
}

Values objects(Context& context, const char* api_version, const char* kind, const std::string& before = "",
               const std::string& after = "") {
  const api::ResourceKind& of = *api::find_kind(api_version, kind);
  Values values;
  for (const Json& object :
       context.client().list(of, of.namespaced ? context.place().namespace_name : std::string()).items)
    values.push_back({before + api::name_of(object) + after});
  return values;
}

Values queues(Context& context, bool with_cluster_queues) {
  Values values;
  for (const std::string& name :
       job::queue_names(context.client(), context.place().namespace_name, with_cluster_queues))
    values.push_back({name});
  return values;
}

Values contexts(Context& context) {
  Values values;
  for (const std::string& name : kube::context_names({context.options().kubeconfig, "", ""}))
    values.push_back({name});
  values.push_back({std::string(kLocal), "this machine"});
  return values;
}

Values runs() {
  Values values = {{"@", "your newest run"}};
  constexpr size_t kNewest = 200;  // TAB must not wait while kml reads the records of several years
  for (const job::Submission& run : job::Submissions::of_user().read(kNewest))
    values.push_back({run.id, run.jobs().empty() ? "" : api::name_of(*run.jobs().front())});
  return values;
}

Values aliases() {
  Values values;
  for (const auto& [name, words] : read_aliases()) values.push_back({name, shell_quoted(words)});
  return values;
}

Values goals() {
  return {{"end"}, {"delete"}, {"condition=Complete"}, {"condition=Failed"}, {"condition=Suspended"}};
}

/// Leaves out the priority classes of Kubernetes' own components.
Values priorities(Context& context) {
  Values values = objects(context, "scheduling.k8s.io/v1", "PriorityClass");
  std::erase_if(values, [](const auto& value) { return value.text.starts_with("system-"); });
  return values;
}

/// The kinds that `kml list` knows.
Values kinds() {
  Values values = {{"jobs", "jobs, running and finished"}};
  for (const job::ListedKindInfo& kind : job::listed_kinds())
    values.push_back({std::string(kind.word), std::string(kind.shown)});
  return values;
}

/// The output of a kml command for the same server, captured instead of printed.
std::string printed_by(Context& context, const std::vector<std::string>& argv) {
  std::ostringstream out, err;
  GlobalOptions ignored;
  const Command root = command_tree(ignored);
  const Selected selected = parse(root, argv);
  Context its(context.options(), {out, err});
  selected.command->run(its);
  return out.str();
}

/// The names that a command prints if called with -o name.
Values named_by(Context& context, std::vector<std::string> argv) {
  Values values;
  argv.insert(argv.end(), {"-o", "name"});
  for (const std::string& line : split(printed_by(context, argv), '\n'))
    if (!line.empty()) values.push_back({line.substr(line.rfind('/') + 1)});
  return values;
}

/// Names the sweeps. For the commands that need a running engine, only those that have one.
Values sweeps(Context& context, const std::string& path) {
  Values values = named_by(context, {"sweep", "list"});
  if (path == "kml sweep attach" || path == "kml sweep stop")
    std::erase_if(values,
                  [](const auto& value) { return !sweep::writer_of(sweep::sweep_folder(value.text)); });
  return values;
}

Values schedules(Context& context, const std::string& path) {
  Values values;
  const api::ResourceKind& kind = *api::find_kind("batch/v1", "CronJob");
  for (const Json& schedule : context.client().list(kind, context.place().namespace_name).items) {
    const bool is_paused = bool_at(schedule, {"spec", "suspend"});
    if (path == "kml schedule pause" ? !is_paused : path != "kml schedule resume" || is_paused)
      values.push_back({api::name_of(schedule)});
  }
  return values;
}

Values templates(Context& context) {
  Values values;
  const Json list =
      parse_json(printed_by(context, {"template", "list", "-o", "json"}), "the list of templates");
  for (const Json& one : list) values.push_back({string_at(one, {"name"}), string_at(one, {"help"})});
  return values;
}

/// The pipeline runs. For the commands that continue, watch or stop a run, only those that have not ended.
Values pipeline_runs(const std::string& path) {
  const bool goes_on = path == "kml run resume" || path == "kml run attach" || path == "kml run stop";
  Values values;
  for (const std::string& run : pipeline::run_names())
    if (!goes_on || !pipeline::is_ended(run)) values.push_back({run, ""});
  return values;
}

}  // namespace

Values names_for(Context& context, const NameQuestion& question) {
  const std::string& name = question.name;
  if (name == "--context") return contexts(context);
  if (question.path.starts_with("kml run ") || question.path == "kml artifact list")
    return pipeline_runs(question.path);
  if (name == "RUN") return runs();
  if (name == "ALIAS" || name == "--remove" || question.path == "kml config alias") return aliases();
  if (name == "TEMPLATE" || name == "--template") return templates(context);
  if (name == "--for") return goals();
  if (name == "KIND|JOB") return kinds();
  const bool is_sweep = name.starts_with("SWEEP") || name == "--sweep" || name == "--warm-start";
  if (is_sweep) return sweeps(context, question.path);

  std::function<Values()> list;
  if (name == "JOB" || name.starts_with(kJobAndRank) || name == "--after")
    list = [&] { return jobs_for(context, question); };
  else if (are_sides(name))
    list = [&] { return jobs_to_copy_from(context, question); };
  else if (name == "--namespace")
    list = [&] { return objects(context, "v1", "Namespace"); };
  else if (name == "SCHEDULE")
    list = [&] { return schedules(context, question.path); };
  else if (question.path.starts_with("kml serve "))
    list = [&] { return named_by(context, {"serve", "list"}); };
  else if (name == "--service-account")
    list = [&] { return objects(context, "v1", "ServiceAccount"); };
  else if (name == "--pull-secret")
    list = [&] { return objects(context, "v1", "Secret"); };
  else if (name == "--priority")
    list = [&] { return priorities(context); };
  else if (name == "--queue")
    list = [&] { return queues(context, question.path == "kml queue"); };
  else if (name == "--mount")
    list = [&] { return objects(context, "v1", "PersistentVolumeClaim", "pvc/", ":"); };
  return list && has_server(context) ? list() : Values();
}

}  // namespace kml::cli
