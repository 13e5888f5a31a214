#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <ostream>
#include <set>

#include "cli/commands.h"
#include "cli/name_pattern.h"
#include "job/capacity/devices.h"
#include "job/commands/list_kind.h"
#include "job/commands/listing.h"
#include "job/commands/named_job.h"
#include "job/tables/brief_job.h"
#include "kml/base/text.h"
#include "kml/job/attempts/attempts.h"
#include "kml/job/capacity/workloads.h"
#include "kml/job/tables/job_tables.h"
#include "kml/job/views/find.h"
#include "kml/job/why/why.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/ui/objects.h"

namespace kml::cli {

namespace {

/// The output format that only lists of jobs have.
constexpr const char* kBrief = "brief";

struct ListOptions : ListingOptions {
  std::vector<std::string> names;  ///< names of jobs, or a kind
  bool all = false;
};

/// The first given flag that can only be used with jobs; empty if none was given.
std::string first_flag_of_jobs(const ListOptions& options) {
  const JobFilter& filter = options.filter;
  return options.all                ? "--all"
         : options.watch            ? "--watch"
         : filter.mine              ? "--mine"
         : !filter.user.empty()     ? "--user"
         : !filter.states.empty()   ? "--state"
         : filter.since             ? "--since"
         : !filter.sort.empty()     ? "--sort"
         : filter.limit             ? "--limit"
         : options.output == kBrief ? "-o brief"
                                    : "";
}

/// The kind of object that the argument names; nullptr if the argument is "jobs", the name of a job, or
/// missing.
const job::ListedKindInfo* other_kind(const ListOptions& options) {
  const job::ListedKindInfo* found =
      options.names.empty() ? nullptr : job::find_listed_kind(options.names[0]);
  if (!found) return nullptr;
  const job::ListedKindInfo& kind = *found;
  if (options.names.size() > 1)
    throw usage_error("a kind cannot be listed together with names", "\"" + options.names[0] + "\" is a kind",
                      "kml list " + std::string(kind.word));
  if (const std::string flag = first_flag_of_jobs(options); !flag.empty())
    throw usage_error(flag + " applies to jobs, not to " + std::string(kind.word), "",
                      "leave it out: kml list " + std::string(kind.word));
  return &kind;
}

/// The names, without the word "jobs" in front of them, and without the "job/" that kubectl's users type.
std::vector<std::string> without_kind(std::vector<std::string> names) {
  if (!names.empty() && (names[0] == "jobs" || names[0] == "job")) names.erase(names.begin());
  for (std::string& name : names)
    if (name.starts_with("job/")) name.erase(0, 4);
  return names;
}

/// Throws the Error for a name of something other than a job in the list, if the server or this machine knows
/// the name.
void refuse_other_meaning(Context& context, const std::string& name, const std::string& selector) try {
  const job::JobOrTask named = named_job_or_task(context, name);
  if (named.task)
    throw usage_error(fmt::format("{} is a task of job {}", name, api::name_of(named.job)),
                      "`kml list` lists jobs", "kml status " + name);
  if (!selector.empty())
    throw not_in_list(fmt::format("job {} is not listed", name),
                      fmt::format("it does not have the labels of -l {}", selector), "kml list " + name);
} catch (const Error& error) {
  const bool explains = error.reason == "NotFound" && !error.why.empty();
  if (explains || error.code == ErrorCode::interrupted || error.code == ErrorCode::usage) throw;
}

/// Throws the Error for a name that no job has, or for a pattern that no job's name matches.
[[noreturn]] void refuse_unknown(Context& context, const std::string& name, const std::vector<Json>& jobs,
                                 const std::string& selector) {
  const std::string& where = context.place().namespace_name;
  if (is_name_pattern(name)) throw unmatched_pattern(name, where);
  refuse_other_meaning(context, name, selector);
  std::vector<std::string> names;
  for (const Json& job : jobs) names.push_back(api::name_of(job));
  throw unknown_in_list(name, where, std::move(names));
}

/// The jobs that have one of the names or match one of the patterns. Throws Error for a name or pattern
/// without a job, except with --watch, because the job may appear later.
std::vector<Json> named_jobs_of(Context& context, const std::vector<Json>& jobs, const ListOptions& options) {
  std::vector<Json> found;
  std::set<std::string> unknown(options.names.begin(), options.names.end());
  for (const Json& job : jobs) {
    bool is_named = false;
    for (const std::string& name : options.names) {
      if (!fits_pattern(api::name_of(job), name)) continue;
      unknown.erase(name);
      is_named = true;
    }
    if (is_named) found.push_back(job);
  }
  for (const std::string& name : options.names)
    if (unknown.contains(name) && !options.watch)
      refuse_unknown(context, name, jobs, options.filter.selector);
  return found;
}

bool is_table(const ListOptions& options) {
  return options.output.empty() || options.output == "wide";
}

/// Whether the job was part of a sweep or of a pipeline run and has ended. Such jobs are hidden, because they
/// would bury other jobs. A job submitted with --input has the same name as its run and is not hidden.
bool is_part_that_ended(const Json& job, const job::JobView& view) {
  if (!job::has_ended(view.state)) return false;
  const std::string run = string_at(job, {"metadata", "labels", api::kRun});
  return find(job, {"metadata", "labels", api::kTrial}) || (!run.empty() && run != view.name);
}

void tell_of_left_out(Context& context, const ListOptions& options, size_t count) {
  if (count == 0 || (options.watch && !context.streams().out_is_terminal)) return;
  context.note(std::to_string(count) + (count == 1 ? " job" : " jobs") +
               " of sweeps and runs not shown: `kml list --all`, `kml sweep list` or `kml run list`");
}

/// A job with its view. Thousands of views are large, so each is freed as soon as its content was moved.
struct Listed {
  const Json* object;
  std::unique_ptr<job::JobView> view;
};

/// The type of the job's GPUs, as in `--gpus`; empty if it has none, or if any type is suitable.
std::string type_of_gpus(const Listed& job) {
  return job.view->gpus > 0 ? job::asked_gpu_type(*job.object) : "";
}

/// The objects, oldest first, without looking up anything else.
std::vector<Json> oldest_first(const std::vector<Json>& jobs) {
  std::vector<Json> objects = jobs;
  std::stable_sort(objects.begin(), objects.end(),
                   [](const Json& a, const Json& b) { return job::is_older(a, b); });
  return objects;
}

/// Looks up when jobs ran that failed while they waited again. Asks only about a few, and once about each,
/// because each takes some requests.
class EarlierRuns {
 public:
  void complete(kube::Client& client, const Json& job, job::JobView& view) {
    constexpr size_t kMost = 10;
    if (!job::may_have_run_before(view)) return;
    if (const auto known = known_.find(view.uid); known != known_.end()) {
      view.started = known->second.started;
      view.ran = known->second.ran;
    } else if (known_.size() < kMost) {
      job::add_earlier_run(client, job, view);
      known_[view.uid] = {view.started, view.ran};
    }
  }

 private:
  struct Run {
    std::optional<Time> started;
    std::optional<nanoseconds> ran;
  };
  std::map<std::string, Run> known_;  ///< by the uids of the jobs
};

/// The jobs to show, in order, and the number of jobs left out.
std::pair<std::vector<Listed>, size_t> chosen(Context& context, const ListOptions& options,
                                              const std::vector<Json>& jobs, const job::PodsByJob& pods,
                                              EarlierRuns& earlier) {
  const job::Workloads workloads =
      job::read_workloads(context.client(), context.list_namespace(options.all_namespaces), jobs);
  std::vector<Listed> listed;
  listed.reserve(jobs.size());
  for (const Json& job : jobs) {
    listed.push_back(
        {&job, std::make_unique<job::JobView>(job::view_of_job(job, pods.of(job), workloads.of(job)))});
    if (workloads.lacks_kueue()) job::say_that_kueue_is_missing(job, *listed.back().view);
  }
  std::stable_sort(listed.begin(), listed.end(),
                   [](const Listed& a, const Listed& b) { return job::is_older(*a.view, *b.view); });
  size_t left_out = 0;
  if (is_table(options) && !options.all && options.names.empty() && !options.filter.is_set())
    left_out =
        std::erase_if(listed, [](const Listed& job) { return is_part_that_ended(*job.object, *job.view); });
  options.filter.apply(listed, true, system_clock().now(),
                       [](const Listed& job) -> const job::JobView& { return *job.view; });
  for (const Listed& job : listed) earlier.complete(context.client(), *job.object, *job.view);
  return {std::move(listed), left_out};
}

void print_list(Context& context, const ListOptions& options, const std::vector<Json>& jobs,
                const job::PodsByJob& pods, EarlierRuns& earlier) {
  if (!is_table(options) && options.output != kBrief && !options.filter.needs_views())
    return static_cast<void>(
        ui::print_objects(context.streams(), oldest_first(jobs), options.output, true, !options.no_headers));
  auto [listed, left_out] = chosen(context, options, jobs, pods, earlier);
  if (options.output == kBrief) {
    Json items = Json::array();
    for (const Listed& job : listed) {
      items.push_back(ui::brief_json(*job.view));
      set_said(items.back(), {{"gpuType", type_of_gpus(job)}});
    }
    return ui::print_value(context.streams(), items, "json");
  }
  if (!is_table(options)) {
    std::vector<Json> objects;
    objects.reserve(listed.size());
    for (const Listed& job : listed) objects.push_back(*job.object);
    ui::print_objects(context.streams(), objects, options.output, true, !options.no_headers);
    return;
  }
  if (listed.empty() && left_out == 0) {
    context.note(std::string(options.filter.is_set() ? "no matching jobs" : "no jobs") +
                 (options.all_namespaces ? "" : " in namespace " + context.place().namespace_name));
    return;
  }
  std::vector<job::JobView> views;
  std::vector<std::string> gpu_types;
  views.reserve(listed.size());
  ui::TableOptions table{options.all_namespaces, options.output == "wide", !options.no_headers,
                         words_of_target(context.options(), options.all_namespaces)};
  for (Listed& job : listed) {
    if (table.wide) gpu_types.push_back(type_of_gpus(job));
    views.push_back(std::move(*job.view));
    job.view.reset();
  }
  if (!views.empty()) ui::print_jobs(context.streams(), views, table, system_clock().now(), gpu_types);
  tell_of_left_out(context, options, left_out);
}

void add_brief(Option& format, ListOptions& options) {
  format.choices.insert(format.choices.begin() + 1, kBrief);
  format.value_name = join(format.choices, "|");
  format.help = "print objects, names, more columns, or (brief) short JSON objects";
  format.details(
      "Print the objects, their names, or (wide) a table with more columns. With brief, print a short JSON "
      "object for each job, with its state and why it waits or has failed.");
  format.accept = [&options, accept = format.accept](const std::string& value) {
    value == kBrief ? void(options.output = value) : accept(value);
  };
}

}  // namespace

Command list_command() {
  auto options = std::make_shared<ListOptions>();
  Command command{"list", "List jobs, running and finished; or nodes, queues, claims and other kinds"};
  command.takes("KIND|JOB", options->names,
                "a kind to list, or names or patterns of jobs; by default, the jobs in the namespace", 0,
                1'000);
  command.description =
      R"(Jobs are listed oldest first. If you give several flags, kml lists the jobs that match all of them. --limit N lists
the newest N jobs or, with --sort, the first N in that order.

The table leaves out finished sweep trials and pipeline steps, unless you give --all or select jobs; `kml sweep status
NAME` and `kml run status NAME` show them. With -o json, yaml, name and brief, kml lists all jobs.

-o brief prints what the table shows about a job as JSON: for each job, a short object with its state and the reason
for that state.

-o jsonpath=TEMPLATE and -o custom-columns=HEADER:PATH,… work as in kubectl. All jobs are in one List, under `items`.
Most commands with -o json support -o jsonpath and -o custom-columns, too; `kml logs` does not.

With a KIND, kml lists objects that jobs need, and objects that can keep jobs from running. kubectl's short names work
too (pc, ns, no, pvc, lq, quota). Any other word is the name of a job. After the word jobs, every word is the name of a
job: `kml list jobs nodes` lists a job named nodes. Only -A, -l, -o and --no-headers apply to every
kind; the other flags are for jobs. The kinds are:

)" + text_of_listed_kinds();
  command.examples = R"(# Jobs whose names start with bert
kml list 'bert*'
# Failed jobs that were submitted since yesterday
kml list --state failed --since 1d
# GPUs, CPUs, memory, taints and state of each node
kml list nodes
kml list -o custom-columns=NAME:.metadata.name,IMAGE:.spec.template.spec.containers[*].image)";
  command.flag("-a,--all", options->all, "include finished sweep trials and pipeline steps")
      .after("--state")
      .details("Include finished sweep trials and pipeline steps.");
  add_listing_flags(command, *options);
  add_brief(*command.find("--output"), *options);
  command.run = [options](Context& context) {
    if (const job::ListedKindInfo* kind = other_kind(*options))
      return run_list_kind(context, *kind, *options);
    options->names = without_kind(std::move(options->names));
    EarlierRuns earlier;
    return run_listing(context, *options, [&](const std::vector<Json>& jobs, const job::PodsByJob& pods) {
      if (options->names.empty()) return print_list(context, *options, jobs, pods, earlier);
      print_list(context, *options, named_jobs_of(context, jobs, *options), pods, earlier);
    });
  };
  return command;
}

}  // namespace kml::cli
