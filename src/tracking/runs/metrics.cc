// Reads the metrics of an ended job from its logs.

#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "kml/base/error.h"
#include "kml/base/redrawn_line.h"
#include "kml/base/text.h"
#include "kml/job/logs/logs.h"
#include "kml/job/logs/metric_line.h"
#include "kml/job/packages/locked.h"
#include "kml/job/views/find.h"
#include "kml/job/views/has_tasks.h"
#include "kml/job/views/kinds.h"
#include "kml/job/views/pod_view.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/kube/objects/resource.h"
#include "kml/tracking/runs/metric_courses.h"
#include "kml/tracking/runs/mlflow_folder.h"
#include "kml/tracking/runs/tracked_run.h"

namespace kml::tracking {

namespace {

/// The number of the first task of an array, which need not be 0; 0 for any other job.
int first_rank_of(const Json& job) {
  const auto numbers = job::task_numbers(api::pod_template_of(job));
  return numbers ? numbers->at(0).value_or(0) : 0;
}

class MetricSink : public job::LogSink {
 public:
  MetricSink(std::map<std::string, Json> arguments, int first_rank)
      : found(std::move(arguments)), first_rank_(first_rank) {}

  void lines(std::span<const job::LogLine> lines) override {
    for (const job::LogLine& line : lines)
      if (line.begins && line.ends && line.source->is_main &&
          line.source->rank.value_or(first_rank_) == first_rank_) {
        found.read(after_carriage_returns(line.text), line.time);
        if (auto named = packages::environment_in(line.text); !named.id.empty())
          found.environment = std::move(named);
      }
  }
  void event(const job::LogEvent&) override {}

  MetricCollector found;

 private:
  const int first_rank_;
};

void take_log(MlflowLog log, MetricCollector& found) {
  for (auto& [name, course] : log.courses) {
    found.totals[name] = summary_of(course);
    found.courses[name] = std::move(course);
  }
  found.params = std::move(log.params);
  found.tags = std::move(log.tags);
  found.nested = std::move(log.nested);
}

/// The image of the first container in each pod. These are several images if the pods differ in their images,
/// or if an image's tag was moved.
std::string image_ids_of(const std::vector<Json>& pods) {
  std::set<std::string> ids;
  for (const Json& pod : pods)
    if (const Json& containers = api::containers_of(pod); !containers.empty())
      if (const Json* status = api::find_container_status(pod, api::entry_name(containers[0])))
        if (std::string id = string_at(*status, {"imageID"}); !id.empty()) ids.insert(std::move(id));
  return join(std::vector<std::string>(ids.begin(), ids.end()), " ");
}

/// The version of the GPU driver from the labels of GPU feature discovery: one label since its version 0.17,
/// three labels before. See docs/gpu-feature-discovery in github.com/NVIDIA/k8s-device-plugin.
std::string driver_of(const Json& node) {
  const auto label = [&](const char* name) {
    return api::label_of(node, std::string("nvidia.com/cuda.driver") + name);
  };
  if (std::string whole = label("-version.full"); !whole.empty()) return whole;
  std::vector<std::string> parts;
  for (const char* name : {".major", ".minor", ".rev"})
    if (std::string part = label(name); !part.empty()) parts.push_back(std::move(part));
  return join(parts, ".");
}

/// Many users may not read nodes, and the metrics were already read, so errors do not matter.
std::optional<Json> node_if_readable(kube::Client& client, const std::string& name) {
  try {
    return client.get_if_exists(api::known_kind("v1", "Node"), "", name);
  } catch (const Error& error) {
    if (error.code == ErrorCode::interrupted) throw;
    return {};
  }
}

/// The nodes of a job are usually alike, so only some are read.
std::set<std::string> some_nodes_of(const std::vector<Json>& pods) {
  constexpr size_t kMostNodes = 4;
  std::set<std::string> names;
  for (const Json& pod : pods)
    if (std::string name = api::node_of(pod); !name.empty() && names.size() < kMostNodes)
      names.insert(std::move(name));
  return names;
}

/// The GPU drivers, kernels and container runtimes of these nodes.
std::map<std::string, std::string> facts_of_nodes(kube::Client& client, const std::set<std::string>& names) {
  std::map<std::string, std::set<std::string>> values;
  for (const std::string& name : names) {
    const std::optional<Json> node = node_if_readable(client, name);
    if (!node) break;
    const Json& info = object_at(*node, {"status", "nodeInfo"});
    values["driver"].insert(driver_of(*node));
    values["kernel"].insert(string_at(info, {"kernelVersion"}));
    values["container runtime"].insert(string_at(info, {"containerRuntimeVersion"}));
  }
  std::map<std::string, std::string> facts;
  for (auto& [name, all] : values) {
    all.erase("");
    if (!all.empty()) facts[name] = join(std::vector<std::string>(all.begin(), all.end()), ", ");
  }
  return facts;
}

/// The words of a shell script that may be arguments. NAME=VALUE is an argument after a Python program, but
/// not in `echo accuracy=0.9`.
std::vector<std::string> words_of_script(const std::string& script) {
  std::vector<std::string> words;
  for (const std::string& line : split(script, '\n')) {
    std::istringstream in(line);
    bool is_python = false;
    for (std::string word; in >> word;) {
      is_python |= word.starts_with("python") || word.ends_with(".py");
      const bool is_pair = !word.starts_with('-') && contains(word, "=");
      if (is_python || !is_pair) words.push_back(word);
      if (word.ends_with(';') || word == "&&" || word == "||" || word == "|") is_python = false;
    }
  }
  return words;
}

/// The arguments in the job's command, including arguments in shell scripts: sh -c "python train.py --lr
/// 0.1".
std::map<std::string, Json> arguments_of(const Json& job) {
  std::map<std::string, Json> arguments;
  job::each_pod_template(job, [&](const Json& pod, int) {
    const Json& containers = api::containers_of(pod);
    if (containers.empty() || !arguments.empty()) return;
    std::vector<std::string> words;
    for (const char* part : {"command", "args"})
      for (const Json& word : array_at(containers[0], {part}))
        if (word.is_string()) words.push_back(word);
    arguments = parameters_of(words, containers[0]);
    for (const std::string& script : words)
      if (script.find_first_of(" \n") != std::string::npos)
        arguments.merge(parameters_of(words_of_script(script), Json::object()));
  });
  return arguments;
}

/// `arguments` are those of the job's command.
MetricCollector metrics_of_rank(kube::Client& client, const Json& job, std::vector<Json> pods, int rank,
                                const std::map<std::string, Json>& arguments) {
  job::LogSelection selection;
  selection.jobs = {job};
  // Without a tail, kml would also read the log from before a container's restart.
  selection.tail = std::numeric_limits<int>::max();
  selection.gone_pods = pods.empty();  // the embedded server keeps the logs of a suspended job's deleted pods
  selection.pods = std::move(pods);
  MetricSink sink(arguments, rank);
  job::read_logs(client, selection, sink);
  sink.found.finish();
  return std::move(sink.found);
}

/// A task of an array as a nested run.
NestedLog task_log(const std::vector<Json>& pods, int task, MetricCollector metrics) {
  std::vector<const Json*> all;
  for (const Json& pod : pods) all.push_back(&pod);
  const job::PodView view = job::basic_view_of_pod(*job::newest_of(all));
  const std::string number = std::to_string(task);
  return {.run = {.id = number,
                  .name = number,
                  .state = view.phase,
                  .time = view.started.value_or(Time()),
                  .finished = view.finished,
                  .metrics = std::move(metrics.totals),
                  .params = {{"task", number}}},
          .courses = std::move(metrics.courses)};
}

}  // namespace

MetricCollector metrics_of_job(kube::Client& client, const Json& job, std::chrono::milliseconds limit) {
  constexpr size_t kMostTasks = 100;
  std::unique_ptr<http::Timer> timer;
  if (limit.count() > 0)
    timer = client.transport().after(limit, [] {
      throw Error(ErrorCode::unreachable, "the log could not be read in time",
                  "the log is very long, or the node of the job's pod does not respond");
    });
  std::vector<Json> pods = job::pods_of(client, job);
  const std::string image_ids = image_ids_of(pods);
  const std::set<std::string> nodes = some_nodes_of(pods);
  const int first_rank = first_rank_of(job);
  std::map<int, std::vector<Json>> by_rank;
  for (Json& pod : pods) {
    const int rank = job::rank_of(pod, &job).value_or(first_rank);
    by_rank[rank].push_back(std::move(pod));
  }
  const std::map<std::string, Json> arguments = arguments_of(job);
  MetricCollector found;
  if (job::has_tasks(job) && by_rank.size() > 1) {
    for (const auto& [task, its] : by_rank) {
      if (found.nested.size() == kMostTasks) break;
      found.nested.push_back(task_log(its, task, metrics_of_rank(client, job, its, task, arguments)));
    }
  } else {
    found = metrics_of_rank(client, job, std::move(by_rank[first_rank]), first_rank, arguments);
    if (const auto folder = mlflow_folder_of(job)) take_log(read_mlflow_folder(*folder), found);
  }
  found.image_id = image_ids;
  found.of_nodes = facts_of_nodes(client, nodes);
  return found;
}

std::string nested_id(const std::string& run_id, const job::NestedRun& nested) {
  return run_id + "/" + nested.id;
}

job::RunNotes notes_of(const MetricCollector& metrics) {
  job::RunNotes logged;
  logged.metrics = metrics.totals;
  logged.logged_params = metrics.params;
  logged.logged_tags = metrics.tags;
  logged.image_id = metrics.image_id;
  logged.environment = metrics.environment;
  logged.of_nodes = metrics.of_nodes;
  for (const NestedLog& nested : metrics.nested) logged.nested.push_back(nested.run);
  return logged;
}

job::RunNotes record_metrics(const std::string& run_id, const MetricCollector& metrics) {
  job::RunNotes logged = notes_of(metrics);
  RunCourses::of_user().write(run_id, metrics.courses);
  for (const NestedLog& nested : metrics.nested)
    RunCourses::of_user().write(nested_id(run_id, nested.run), nested.courses);
  job::Submissions::of_user().add_logged(run_id, logged);
  return logged;
}

}  // namespace kml::tracking
