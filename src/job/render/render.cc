#include "kml/job/render/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "job/render/check_body.h"
#include "job/render/gpu_choice.h"
#include "job/render/mpi_env.h"
#include "job/render/overlay.h"
#include "job/render/overlay_workload.h"
#include "job/render/template_values.h"
#include "job/render/trainjob.h"
#include "job/render/workload.h"
#include "job/spec/json_path.h"
#include "kml/base/clock.h"
#include "kml/base/text.h"
#include "kml/job/kinds/job_kind.h"
#include "kml/job/render/problems.h"
#include "kml/kube/objects/object.h"

namespace kml::render {

namespace {

/// Objects, and the paths to their pods. Each path starts with an object's index.
struct Draft {
  Json objects = Json::array();
  std::vector<PodGroup> groups;
  bool places_command = false;  ///< the template uses ${command}
  bool places_name = false;     ///< the template uses ${name}
  bool stays = false;           ///< no flag changes the manifests' pods, so the server reports their faults
};

PodGroup within(size_t index, PodGroup group) {
  const auto prefixed = [&](std::string& path) {
    if (path.starts_with("[")) return;
    path = "[" + std::to_string(index) + "]" + (path.empty() ? "" : ".") + path;
  };
  prefixed(group.path);
  if (!group.group.empty()) prefixed(group.group);
  for (std::string& path : group.replicas) prefixed(path);
  for (std::string& path : group.factors) prefixed(path);
  return group;
}

/// The spec without these flags, for pods that these flags do not affect.
spec::SubmitSpec less(spec::SubmitSpec spec, const std::vector<std::string>& flags) {
  for (const std::string& flag : flags) {
    if (flag == "command") spec.command.clear();
    if (flag == "gpus") spec.gpus.reset();
    if (flag == "cpu") spec.cpu.clear();
    if (flag == "memory") spec.memory.clear();
    if (flag == "shm") spec.shm.clear();
  }
  return spec;
}

/// Whether the flag concerns the job, whatever its pods are.
bool is_of_whole_job(std::string_view flag) {
  constexpr std::string_view kFlags[] = {"name",    "label", "annotation", "queue",      "topology",
                                         "retries", "ttl",   "array",      "time-limit", "nodes"};
  return std::find(std::begin(kFlags), std::end(kFlags), flag) != std::end(kFlags);
}

size_t object_of(const spec::JsonPath& path) {
  const auto* index = std::get_if<size_t>(&path.front());
  return index ? *index : 0;
}

/// Kubernetes only accepts text in these fields, so numbers that placeholders filled in become text: "--lr",
/// "${lr}".
void make_text(Json& value) {
  if (value.is_number() || value.is_boolean()) value = value.dump();
}

void make_words_text(Json& container) {
  for (const char* words : {"command", "args"})
    if (const auto found = container.find(words); found != container.end() && found->is_array())
      for (Json& word : *found) make_text(word);
  if (const auto variables = container.find("env"); variables != container.end() && variables->is_array())
    for (Json& variable : *variables)
      if (variable.is_object() && variable.contains("value")) make_text(variable["value"]);
}

/// Calls make_words_text() for all containers of the object.
void make_containers_text(Json& value) {
  for (const char* list : {"containers", "initContainers"})
    if (value.is_object() && value.contains(list) && value[list].is_array())
      for (Json& container : value[list])
        if (container.is_object()) make_words_text(container);
  if (value.is_structured())
    for (Json& inner : value) make_containers_text(inner);
}

class Renderer {
 public:
  Renderer(const spec::SubmitSpec& spec, Draft draft, Problems& problems)
      : spec_(spec), draft_(std::move(draft)), problems_(problems) {}

  /// If `nodes` is empty, keeps the numbers of pods in the manifest.
  Rendered run(std::optional<int> nodes) {
    if (nodes) set_numbers(*nodes);
    if (!draft_.stays)
      for (const PodGroup& group : draft_.groups) pods(group);
    const std::set<size_t> workloads = jobs();
    if (!spec_.name.empty()) set_name(workloads);
    for (size_t index : workloads) overlay_workload(spec_, draft_.objects[index], problems_);
    refuse_idle_flags(!workloads.empty());
    Rendered result;
    for (Json& object : draft_.objects)
      for (std::string note : {pass_env_to_ranks(spec_, object), note_on_limit(object)})
        if (!note.empty()) result.notes.push_back(std::move(note));
    for (const spec::PathValue& assignment : spec_.sets)
      set_path(assignment, workloads.empty() ? 0 : *workloads.begin());

    result.objects.assign(draft_.objects.begin(), draft_.objects.end());
    if (std::string note = size_note(); !note.empty()) result.notes.push_back(std::move(note));
    return result;
  }

 private:
  /// The indexes of the objects to which flags apply. Some kinds are described without their pods.
  std::set<size_t> jobs() const {
    std::set<size_t> found;
    for (const PodGroup& group : draft_.groups) found.insert(object_of(*spec::parse_path(group.path)));
    found.erase(found.lower_bound(draft_.objects.size()), found.end());
    for (size_t i = 0; i < draft_.objects.size(); ++i)
      if (job::described_kind_of(draft_.objects[i])) found.insert(i);
    return found;
  }

  void set_numbers(int nodes) {
    const bool is_counted =
        std::any_of(draft_.groups.begin(), draft_.groups.end(),
                    [](const PodGroup& group) { return group.count != PodGroup::Count::none; });
    if (nodes > 1 && !is_counted)
      problems_.add({{}, 0, 0, "--nodes", "the job has no field for the number of its pods"});
    std::erase_if(draft_.groups, [&](const PodGroup& group) {
      if (group.count == PodGroup::Count::none) return false;
      const int number = group.count == PodGroup::Count::nodes ? nodes : nodes - 1;
      if (number == 0 && !group.group.empty()) {
        spec::remove(draft_.objects, *spec::parse_path(group.group));
        return true;
      }
      for (const std::string& path : group.replicas)
        if (std::string problem = spec::set(draft_.objects, *spec::parse_path(path), number);
            !problem.empty())
          problems_.add(group.mark, path, problem);
      return false;
    });
  }

  void set_name(const std::set<size_t>& workloads) {
    std::vector<size_t> unnamed;
    for (size_t index : workloads)
      if (!draft_.places_name || string_at(draft_.objects[index], {"metadata", "name"}).empty())
        unnamed.push_back(index);
    std::string problem = unnamed.size() > 1 ? fmt::format("cannot name {} jobs", unnamed.size()) : "";
    if (unnamed.size() == 1)
      problem = spec::set(draft_.objects, {unnamed[0], "metadata", "name"}, spec_.name);
    if (!problem.empty()) problems_.add({{}, 0, 0, "--name", std::move(problem)});
  }

  void pods(const PodGroup& group) {
    const spec::JsonPath at = *spec::parse_path(group.path);
    Json& object = draft_.objects[object_of(at)];
    const bool is_of_trainer = string_at(object, {"kind"}) == "TrainJob";
    // A TrainJob may leave all of this to its runtime.
    if (is_of_trainer && !spec::find(draft_.objects, at)) spec::set(draft_.objects, at, Json::object());
    Json* pod_template = spec::find(draft_.objects, at);
    const bool is_alone = draft_.objects.size() == 1 && group.path.starts_with("[0].");
    const std::string path = is_alone ? group.path.substr(4) : group.path;
    if (!pod_template) return problems_.add(group.mark, path, "this path has no PodTemplateSpec");
    try {
      if (is_of_trainer)
        overlay_trainjob(spec_, object, !draft_.places_command, problems_);
      else if (group.is_spec)
        overlay_spec_of_pod(spec_, *pod_template, !draft_.places_command);
      else
        overlay_pod(less(spec_, group.without), *pod_template, !draft_.places_command);
    } catch (const Error& error) {
      problems_.add(error, group.mark, path);
    } catch (const Json::exception&) {
      problems_.add(group.mark, path, "this is not a PodTemplateSpec");
    }
  }

  /// The limit of a JobSet is that of its Jobs, which a restart replaces by new ones.
  std::string note_on_limit(const Json& object) const {
    const long long restarts = int_at(object, {"spec", "failurePolicy", "maxRestarts"});
    if (string_at(object, {"kind"}) != "JobSet" || !spec_.time_limit || restarts <= 0) return {};
    return fmt::format("each attempt has the time limit of {}, and there may be {} attempts",
                       short_duration(*spec_.time_limit), restarts + 1);
  }

  /// Reports flags that describe pods if no object has pods.
  void refuse_idle_flags(bool has_jobs) {
    if (!draft_.groups.empty()) return;
    const std::string missing = undeclared_pods();
    const std::string what = !missing.empty() ? "the template declares no pods that "
                             : has_jobs       ? "kml does not know this kind's pods, which "
                                              : "the manifests have no job that ";
    for (const std::string& flag : spec_.given)
      if (flag != "template" && flag != "param" && flag != "set" && !(has_jobs && is_of_whole_job(flag)))
        problems_.add({{}, 0, 0, "--" + flag, what + "it could apply to" + missing});
    if (!spec_.command.empty()) problems_.add({{}, 0, 0, "command", what + "could run it" + missing});
  }

  /// The lines that a template should add, if it makes a job but does not declare where its pods are;
  /// otherwise empty.
  std::string undeclared_pods() const {
    std::string items;
    for (size_t i = 0; i < draft_.objects.size(); ++i)
      for (const PodGroup& group : pod_groups_of(draft_.objects[i]))
        items += "\n      - path: " + (draft_.objects.size() > 1 ? fmt::format("[{}].", i) : "") + group.path;
    return items.empty() ? "" : "; add to it:\n      pods:" + items;
  }

  void set_path(const spec::PathValue& assignment, size_t index) {
    spec::JsonPath path = *spec::parse_path(assignment.path);
    if (!std::holds_alternative<size_t>(path.front())) path.insert(path.begin(), index);
    if (std::string problem = spec::set(draft_.objects, path, assignment.value); !problem.empty())
      problems_.add(assignment.origin.problem(assignment.path + ": " + problem));
  }

  /// The size of the job, such as "8 pods × 1 GPU"; empty for a single pod without GPUs.
  std::string size_note() const {
    const auto counted = [](int64_t number, const char* noun) {
      return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
    };
    int64_t pods = 0;
    std::set<int64_t> gpus;
    int64_t gpus_in_all = 0;
    for (const PodGroup& group : draft_.groups) {
      const Json* pod = spec::find(draft_.objects, *spec::parse_path(group.path));
      if (group.is_spec && pod && array_at(*pod, {"containers"}).empty()) continue;  // see uncounted()
      const int64_t size = pods_of(group);
      const int64_t each = pod ? gpus_of(*pod, group.is_spec) : 0;
      pods += size;
      gpus.insert(each);
      gpus_in_all += size * each;
    }
    if (pods <= 1 && gpus_in_all == 0) return {};
    const char* noun = spec_.array ? "task" : "pod";
    std::string note = counted(pods, noun);
    if (spec_.array && spec_.array->parallel < pods)
      note += fmt::format(" ({} at once)", spec_.array->parallel);
    const std::string rest = uncounted();
    if (gpus_in_all == 0) return note + rest;
    if (gpus.size() == 1) return note + " × " + counted(*gpus.begin(), "GPU") + rest;
    return note + ", " + counted(gpus_in_all, "GPU") + " in total" + rest;
  }

  int64_t pods_of(const PodGroup& group) const {
    constexpr int64_t kMost = 1'000'000;  // limits the numbers, because a manifest is not trusted
    std::vector<std::string> paths = group.factors;
    if (paths.empty() && !group.replicas.empty()) paths = {group.replicas.front()};
    int64_t pods = 1;
    for (const std::string& path : paths)
      if (const Json* number = spec::find(draft_.objects, *spec::parse_path(path));
          number && number->is_number_integer())
        pods = std::min(kMost, pods * std::clamp<int64_t>(number->get<int64_t>(), 0, kMost));
    return pods;
  }

  static int64_t gpus_of(const Json& pod, bool is_spec) {
    return gpus_of_pod(is_spec ? pod : api::spec_of(pod)) + gpus_of_trainer(pod);
  }

  /// The jobs whose pods the manifests do not show, as the rest of a sentence; empty if there are none.
  std::string uncounted() const {
    std::vector<std::string> kinds;
    for (const Json& object : draft_.objects)
      if (const job::JobKind* kind = job::described_kind_of(object); kind && !job::shows_pods(*kind, object))
        kinds.push_back(kind->name);
    return kinds.empty() ? "" : "; not counted: " + join(kinds, ", ");
  }

  const spec::SubmitSpec& spec_;
  Draft draft_;
  Problems& problems_;
};

}  // namespace

Rendered render(const spec::SubmitSpec& spec, const Template& source) {
  Problems problems(source.file);
  const std::string failure = "template \"" + source.name + "\" cannot be filled in";
  Json body = evaluate_body(spec, source, problems);
  problems.raise(failure);

  Draft draft;
  draft.objects = body.is_array() ? std::move(body) : Json::array({std::move(body)});
  for (const Json& object : draft.objects)
    if (!object.is_object()) problems.add(source.body->mark, "body", "each object must be a mapping");
  problems.raise(failure);
  make_containers_text(draft.objects);
  draft.places_command = refers_to(*source.body, "command");
  draft.places_name = refers_to(*source.body, "name");
  for (const PodGroup& group : source.pods) draft.groups.push_back(within(0, group));
  Rendered result = Renderer(spec, std::move(draft), problems).run(spec.nodes.value_or(1));
  problems.raise(failure);
  return result;
}

Rendered render(const spec::SubmitSpec& spec, std::vector<Json> manifests) {
  Problems problems("");
  for (const spec::Setting& setting : spec.parameters)
    if (setting.origin.source == spec::Source::flag)
      problems.add(setting.origin.problem("\"" + setting.name + "\": only a template has parameters"));
  Draft draft;
  for (Json& manifest : manifests) {
    const size_t index = draft.objects.size();
    for (PodGroup& group : pod_groups_of(manifest)) draft.groups.push_back(within(index, std::move(group)));
    draft.objects.push_back(std::move(manifest));
  }
  draft.stays = spec.given.empty() && spec.command.empty();
  Rendered result = Renderer(spec, std::move(draft), problems).run(spec.nodes);
  problems.raise("these flags cannot be applied to the manifest");
  return result;
}

void check_template(const Template& source) {
  const auto is_required = [](const Parameter& parameter) { return parameter.required; };
  if (std::any_of(source.parameters.begin(), source.parameters.end(), is_required)) return;
  spec::SubmitSpec example;
  example.name = "example";
  example.image = "example";
  const auto is_counted = [](const PodGroup& group) { return group.count != PodGroup::Count::none; };
  if (std::any_of(source.pods.begin(), source.pods.end(), is_counted)) example.nodes = 2;
  example.command = {"true"};
  render(example, source);
}

}  // namespace kml::render
