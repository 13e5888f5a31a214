#include "job/render/overlay_workload.h"

#include <fmt/format.h>

#include "job/render/task_numbering.h"
#include "job/render/trainjob_shape.h"
#include "job/render/workload.h"
#include "job/spec/json_path.h"
#include "kml/job/kinds/job_kind.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/topology.h"

namespace kml::render {

namespace {

/// The field of the kinds of the training operator.
constexpr std::string_view kSuspendOfOperator = "spec.runPolicy.suspend";

class Overlay {
 public:
  Overlay(const spec::SubmitSpec& spec, Json& object, Problems& problems)
      : spec_(spec),
        object_(object),
        problems_(problems),
        workload_(workload_of(object).value_or(Workload{})) {}

  void apply() {
    for (const auto& [key, value] : spec_.labels) set("label", "metadata.labels[\"" + key + "\"]", value);
    for (const auto& [key, value] : spec_.annotations)
      set("annotation", "metadata.annotations[\"" + key + "\"]", value);
    if (!spec_.queue.empty()) queue();
    if (!spec_.priority.empty()) priority();
    if (spec_.topology) topology();
    if (spec_.retries.value_or(0) > 0 && is_job_of_ranks())
      retries_of_ranks();
    else if (spec_.retries && !spec_.array)
      set("retries", workload_.retries, *spec_.retries + (workload_.retries_are_attempts ? 1 : 0));
    if (spec_.time_limit) time_limit();
    if (spec_.ttl) set("ttl", workload_.ttl, spec_.ttl->count());
    if (spec_.array) array();
    if (spec_.nodes.value_or(1) > 1 && !workload_.tasks.empty())
      set("nodes", tasks("completionMode"), "Indexed");
  }

 private:
  /// Sets the field. An empty path means that the kind has no such field, which is a problem if the user gave
  /// the flag on the command line.
  void set(const std::string& flag, const std::string& path, Json value) {
    std::string problem;
    if (path.empty()) {
      if (!spec_.given.contains(flag)) return;
      problem = kind() + " has no field for it";
    } else {
      const auto steps = spec::parse_path(path);
      problem = steps ? spec::set(object_, *steps, std::move(value)) : "\"" + path + "\" is not a path";
    }
    if (!problem.empty()) problems_.add({{}, 0, 0, "--" + flag, std::move(problem)});
  }

  /// The kind as users see it.
  std::string kind() const {
    const job::JobKind* described = job::described_kind_of(object_);
    return described ? described->name : string_at(object_, {"kind"}, "this object");
  }

  std::string tasks(const std::string& field) const {
    return workload_.tasks.empty() ? "" : workload_.tasks + "." + field;
  }

  /// Kueue selects jobs by this label. They must be created suspended, and Kueue starts them.
  void queue() {
    if (is_for_volcano()) return volcano_queue();
    if (!workload_.queue.empty()) return set("queue", workload_.queue, spec_.queue);
    const std::string metadata = workload_.metadata.empty() ? "metadata" : workload_.metadata;
    set("queue", metadata + ".labels[\"" + std::string(api::kKueueQueue) + "\"]", spec_.queue);
    if (!workload_.suspend.empty()) set("queue", workload_.suspend, true);
  }

  bool is_for_volcano() const {
    if (!workload_.volcano_queues.empty()) return true;
    const auto names_it = [](const spec::PathValue& assignment) {  // a value of --set, which is applied later
      return assignment.path.ends_with("schedulerName") && assignment.value == "volcano";
    };
    if (std::any_of(spec_.sets.begin(), spec_.sets.end(), names_it)) return true;
    const std::vector<PodGroup> groups = pod_groups_of(object_);
    return std::any_of(groups.begin(), groups.end(), [&](const PodGroup& group) {
      const auto path = spec::parse_path(in_pods(group, group.is_spec ? "" : "spec.") + "schedulerName");
      const Json* name = path ? spec::find(object_, *path) : nullptr;
      return name && *name == "volcano";
    });
  }

  static std::string in_pods(const PodGroup& group, const std::string& field) {
    return (group.path.empty() ? "" : group.path + ".") + field;
  }

  /// Volcano orders jobs by the class of their PodGroup. For its own Job and for kinds of the training
  /// operator, that is the class of the job, not of its pods.
  void priority() {
    if (!workload_.volcano_priority.empty())
      return set("priority", workload_.volcano_priority, spec_.priority);
    if (workload_.suspend == kSuspendOfOperator && is_for_volcano())
      set("priority", "spec.runPolicy.schedulingPolicy.priorityClass", spec_.priority);
  }

  /// For a Job, Volcano's pg_controller reads the queue from an annotation of the pods. For kinds of the
  /// training operator, the operator makes the PodGroup, and reads the queue from a field of the job.
  void volcano_queue() {
    const std::string annotation = fmt::format("metadata.annotations[\"{}\"]", api::kVolcanoQueueName);
    std::vector<std::string> paths = workload_.volcano_queues;
    if (paths.empty() && workload_.suspend == kSuspendOfOperator)
      paths = {"spec.runPolicy.schedulingPolicy.queue"};
    if (paths.empty())
      for (const PodGroup& group : pod_groups_of(object_))
        if (!group.is_spec) paths.push_back(in_pods(group, annotation));
    if (paths.empty()) set("queue", "", {});
    for (const std::string& path : paths) set("queue", path, spec_.queue);
  }

  /// Kueue places the pods of each template. The pods of two templates, such as a master and its workers,
  /// form a group, which Kueue places in one domain.
  void topology() {
    if (!is_in_queue_of_kueue()) {
      const bool is_in_another = is_for_volcano() || !workload_.queue.empty();
      if (spec_.given.contains("topology"))
        problems_.add({{},
                       0,
                       0,
                       "--topology",
                       is_in_another ? "only jobs in a Kueue queue can have it, and the queue of " + kind() +
                                           " is not Kueue's"
                                     : "needs a Kueue queue: --queue QUEUE"});
      return;
    }
    std::vector<PodGroup> groups = pod_groups_of(object_);
    std::erase_if(groups, [](const PodGroup& group) { return group.is_spec; });
    if (groups.empty()) set("topology", "", {});
    if (string_at(object_, {"kind"}) == "TrainJob") return topology_of_trainer();
    const std::string key = topology_key();
    constexpr size_t kPaired = 2;
    for (const PodGroup& group : groups) {
      const std::string annotations = (group.path.empty() ? "" : group.path + ".") + "metadata.annotations";
      set("topology", fmt::format("{}[\"{}\"]", annotations, key), spec_.topology->level);
      if (groups.size() == kPaired)
        set("topology", fmt::format("{}[\"{}\"]", annotations, api::kTopologyGroup), "job");
    }
  }

  std::string topology_key() const {
    return std::string(spec_.topology->is_preferred ? api::kPreferredTopology : api::kRequiredTopology);
  }

  /// A TrainJob's pods are in its runtime, so their annotation is a patch of the runtime.
  void topology_of_trainer() {
    RuntimePatch patch = take_patch(object_);
    patch.of_job(kTrainerJob).metadata["annotations"][topology_key()] = spec_.topology->level;
    add_patch(object_, patch);
  }

  bool is_in_queue_of_kueue() const {
    if (is_for_volcano() || !workload_.queue.empty()) return false;
    return !spec_.queue.empty() || !string_at(object_, {"metadata", "labels", api::kKueueQueue}).empty();
  }

  void time_limit() {
    if (workload_.time_limits.empty() && spec_.given.contains("time-limit"))
      problems_.add({{},
                     0,
                     0,
                     "--time-limit",
                     fmt::format("{} has no field for it; begin the command with `timeout {}`", kind(),
                                 spec_.time_limit->count())});
    for (const std::string& path : workload_.time_limits) set("time-limit", path, spec_.time_limit->count());
  }

  /// Each task gets its own retries, so that a task that fails does not affect the others.
  void array() {
    set("array", tasks("completions"), spec_.array->numbers.count());
    if (workload_.tasks.empty()) return;
    if (spec::find(object_, *spec::parse_path(tasks("template.spec.subdomain"))))
      problems_.add(
          {{}, 0, 0, "--array", "tasks are independent, but these pods are ranks of one job: use -t job"});
    set("array", tasks("parallelism"), spec_.array->parallel);
    set("array", tasks("completionMode"), "Indexed");
    set("array", tasks("backoffLimitPerIndex"), spec_.retries.value_or(0));
    spec::remove(object_, *spec::parse_path(workload_.retries));
    number_tasks();
  }

  /// Whether the object is a Job with several pods, which are not tasks of an array.
  bool is_job_of_ranks() const {
    const Json* pod =
        workload_.tasks.empty() ? nullptr : spec::find(object_, *spec::parse_path(tasks("template.spec")));
    return !spec_.array && spec_.nodes.value_or(1) > 1 && workload_.retries == tasks("backoffLimit") && pod &&
           string_at(*pod, {"restartPolicy"}) == "Never";
  }

  /// Ranks often fail together, and backoffLimit would count each of them. So each rank gets its own retries,
  /// and the job ends when a rank fails and has no retries left.
  void retries_of_ranks() {
    set("retries", tasks("backoffLimitPerIndex"), *spec_.retries);
    set("retries", tasks("maxFailedIndexes"), 0);
    spec::remove(object_, *spec::parse_path(workload_.retries));
  }

  /// Passes each task its number: its index, or a number that its container computes from the index.
  void number_tasks() {
    Json* pod = const_cast<Json*>(spec::find(object_, *spec::parse_path(tasks("template"))));
    const std::string problem = pod ? render::number_tasks(*pod, spec_.array->numbers) : "";
    if (!problem.empty()) problems_.add({{}, 0, 0, "--array", problem});
  }

  const spec::SubmitSpec& spec_;
  Json& object_;
  Problems& problems_;
  Workload workload_;
};

}  // namespace

void overlay_workload(const spec::SubmitSpec& spec, Json& object, Problems& problems) {
  Overlay(spec, object, problems).apply();
}

}  // namespace kml::render
