#include "render/overlay_workload.h"

#include "kml/api/labels.h"
#include "kml/spec/json_path.h"
#include "render/workload.h"

namespace kml::render {

namespace {

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
    if (spec_.retries && !spec_.array) set("retries", workload_.retries, *spec_.retries);
    if (spec_.time_limit) time_limit();
    if (spec_.ttl) set("ttl", workload_.ttl, spec_.ttl->count());
    if (spec_.array) array();
    if (spec_.nodes.value_or(1) > 1 && !workload_.tasks.empty())
      set("nodes", tasks("completionMode"), "Indexed");
  }

 private:
  /// An empty path means that the kind has no such field; a default from a file is then let go.
  void set(const std::string& flag, const std::string& path, Json value) {
    std::string problem;
    if (path.empty()) {
      if (!spec_.given.contains(flag)) return;
      problem = string_at(object_, {"kind"}, "this object") + " has no field for it";
    } else {
      problem = spec::set(object_, *spec::parse_path(path), std::move(value));
    }
    if (!problem.empty()) problems_.add({{}, 0, 0, "--" + flag, std::move(problem)});
  }

  std::string tasks(const std::string& field) const {
    return workload_.tasks.empty() ? "" : workload_.tasks + "." + field;
  }

  /// Kueue takes jobs by this label, and asks that they are made suspended: it starts them itself.
  void queue() {
    const std::string metadata = workload_.metadata.empty() ? "metadata" : workload_.metadata;
    set("queue", metadata + ".labels[\"" + std::string(api::kKueueQueue) + "\"]", spec_.queue);
    if (!workload_.suspend.empty()) set("queue", workload_.suspend, true);
  }

  void time_limit() {
    if (workload_.time_limits.empty()) set("time-limit", "", {});
    for (const std::string& path : workload_.time_limits) set("time-limit", path, spec_.time_limit->count());
  }

  /// Each task has its own retries: one that fails leaves the others alone.
  void array() {
    set("array", tasks("completions"), spec_.array->count);
    if (workload_.tasks.empty()) return;
    if (spec::find(object_, *spec::parse_path(tasks("template.spec.subdomain"))))
      problems_.add({{}, 0, 0, "--array", "its tasks are independent, and these pods are ranks: use -t job"});
    set("array", tasks("parallelism"), spec_.array->parallel);
    set("array", tasks("completionMode"), "Indexed");
    set("array", tasks("backoffLimitPerIndex"), spec_.retries.value_or(0));
    spec::remove(object_, *spec::parse_path(workload_.retries));
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
