#include "jobs/submit/plan_checks.h"

#include <algorithm>

#include "kml/api/field_types.h"
#include "kml/core/text.h"
#include "kml/jobs/submit/submit.h"
#include "kml/jobs/views/kinds.h"

namespace kml::jobs {

std::vector<spec::Setting> as_parameters(const std::vector<spec::UnknownFlag>& unknown,
                                         const std::vector<render::Parameter>& parameters) {
  std::vector<std::string> known;
  for (const render::Parameter& parameter : parameters) known.push_back("--" + parameter.name);
  std::vector<std::string> all = known;
  for (const spec::Flag& flag : spec::submit_flags()) all.push_back("--" + std::string(flag.name));

  std::vector<spec::Setting> settings;
  Error error = usage_error("unknown flags", "", "arguments of the job's own command follow \"--\"");
  for (const auto& [name, value] : unknown) {
    const std::string flag = "--" + name;
    if (std::find(known.begin(), known.end(), flag) == known.end()) {
      std::string hint = did_you_mean(flag, all);
      error.problems.push_back(
          {{}, 0, 0, flag, "no flag, and no parameter of the template" + (hint.empty() ? "" : "; " + hint)});
      continue;
    }
    settings.push_back({"param", name + "=" + value.value_or("true"), {spec::Source::flag, flag}});
  }
  if (!error.problems.empty()) throw error;
  return settings;
}

void require_something_to_run(const std::vector<Json>& objects, const spec::SubmitSpec& spec,
                              const std::string& usage, bool is_local) {
  for (const Json& object : objects)
    each_pod_template(object, [&](const Json& pod, int) {
      for (const Json& container : array_at(pod, {"spec", "containers"}))
        if (spec.command.empty() && !container.contains("command") && !container.contains("args") &&
            string_at(container, {"image"}).empty())
          throw usage_error("no command", "template \"" + spec.template_name + "\" has none of its own",
                            usage);
      for (const Json& container : array_at(pod, {"spec", "containers"}))
        if (!is_local && string_at(container, {"image"}).empty())
          throw usage_error(
              "no image", "a cluster runs the command in a container",
              "--image IMAGE, or `image:` in kml.yaml; --context local runs it on this machine");
    });
}

void require_local_kinds(const std::vector<Json>& objects) {
  for (const Json& object : objects)
    if (const api::ResourceKind* kind = api::kind_of(object))
      for (std::string_view missing : {"MPIJob", "JobSet", "TrainJob"})
        if (kind->kind == missing)
          throw usage_error("this machine runs no " + std::string(missing) + "s",
                            "the embedded server has no controller for them",
                            "use -t job-indexed or -t pytorchjob here, or a cluster: --context NAME");
}

void set_namespace(std::vector<Json>& objects, const std::string& wanted, bool is_given) {
  for (Json& object : objects) {
    const api::ResourceKind* kind = api::kind_of(object);
    if (kind && !kind->namespaced) continue;
    const std::string own = string_at(object, {"metadata", "namespace"});
    if (own.empty())
      object["metadata"]["namespace"] = wanted;
    else if (is_given && own != wanted)
      throw usage_error("-n " + wanted + " contradicts the manifest of " + string_at(object, {"kind"}) +
                            " \"" + string_at(object, {"metadata", "name"}) + "\"",
                        "its namespace is " + own);
  }
}

std::vector<std::string> misspelt_fields(const std::vector<Json>& objects) {
  std::vector<std::string> texts;
  for (const Json& object : objects)
    if (const api::ResourceKind* kind = api::kind_of(object))
      for (const Problem& problem : api::misspelt_fields(*kind, object))
        texts.push_back(string_at(object, {"kind"}) + (problem.path.empty() ? "" : " " + problem.path) +
                        ": " + problem.text);
  return texts;
}

}  // namespace kml::jobs
