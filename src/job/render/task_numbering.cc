#include "job/render/task_numbering.h"

#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::render {

namespace {

/// Computes the task's number from its index and the ranges in $0 (spec::TaskNumbers::text), then runs the
/// command.
constexpr const char* kNumber = R"(index=$JOB_COMPLETION_INDEX ranges=$0,
while [ -n "$ranges" ]; do
  range=${ranges%%,*} ranges=${ranges#*,}
  first=${range%%-*} rest=${range#*-}
  last=${rest%%:*} step=${rest#*:}
  count=$(((last - first) / step + 1))
  [ "$index" -ge "$count" ] || break
  index=$((index - count))
done
export KML_TASK=$((first + index * step))
exec "$@")";

Json* first_container(Json& pod) {
  return array_at(pod, {"spec", "containers"}).empty() ? nullptr : &pod["spec"]["containers"][0];
}

std::string compute_number(Json& pod, Json& container, const std::string& script, const std::string& ranges) {
  if (array_at(container, {"command"}).empty())
    return "if the numbers are not 0-N, a command is needed: -- COMMAND ARGUMENT...";
  Json words = container["command"];
  for (const Json& word : array_at(container, {"args"})) words.push_back(word);
  container["command"] = {"sh", "-c", script, ranges};
  container["args"] = std::move(words);
  api::set_annotation(pod, api::kTasks, ranges);
  return {};
}

}  // namespace

std::string number_tasks(Json& pod, const spec::TaskNumbers& numbers) {
  Json* container = first_container(pod);
  if (!container) return {};
  if (!numbers.are_indexes()) return compute_number(pod, *container, kNumber, numbers.text());
  const std::string field = "metadata.annotations['" + std::string(api::kCompletionIndex) + "']";
  (*container)["env"].push_back(
      {{"name", "KML_TASK"}, {"valueFrom", {{"fieldRef", {{"fieldPath", field}}}}}});
  return {};
}

std::string keep_tasks(Json& pod, const spec::TaskNumbers& numbers) {
  Json* container = first_container(pod);
  if (!container) return {};
  if (!api::annotation_of(pod, api::kTasks).empty()) {
    (*container)["command"].back() = numbers.text();
    api::set_annotation(pod, api::kTasks, numbers.text());
    return {};
  }
  std::string script = kNumber;
  script.insert(script.rfind("exec"), "export JOB_COMPLETION_INDEX=$KML_TASK\n");
  return compute_number(pod, *container, script, numbers.text());
}

}  // namespace kml::render
