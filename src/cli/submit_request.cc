#include "cli/submit_request.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>

#include "kml/api/field_types.h"
#include "kml/core/files.h"
#include "kml/core/text.h"
#include "kml/jobs/code.h"
#include "kml/jobs/kinds.h"
#include "kml/jobs/own_names.h"
#include "kml/jobs/preflight.h"
#include "kml/jobs/secret_env.h"
#include "kml/jobs/secret_values.h"
#include "kml/jobs/submit.h"
#include "kml/jobs/sweep_objects.h"
#include "kml/render/catalog.h"
#include "kml/render/manifests.h"
#include "kml/render/render.h"
#include "kml/spec/trust.h"

namespace kml::cli {

namespace {

/// Flags that submit does not know but the template does: `--max_steps 500` is `-p max_steps=500`.
std::vector<spec::Setting> as_parameters(const std::vector<UnknownFlag>& unknown,
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

/// Says what kml.yaml chose before anything is sent, or throws where that needs the user's trust. Of
/// manifests it chooses no more than the place they go to.
void answer_for_project_file(Context& context, const std::vector<spec::Setting>& flags, bool has_manifests) {
  std::vector<spec::Setting> settings = context.settings_with(flags);
  if (has_manifests)
    std::erase_if(settings, [](const spec::Setting& setting) {
      return setting.name != "context" && setting.name != "namespace";
    });
  else if (auto error = context.distrust(flags))
    throw std::move(*error);
  context.place();
  if (const auto keys = spec::project_keys(settings); !keys.empty())
    context.note(context.config().project->shown + " sets " + join(keys, ", "));
}

/// Of a file that came from elsewhere, too, before anything is sent.
void tell_what_is_taken(Context& context, const SubmitRequest& request, const std::vector<Json>& objects) {
  if (const std::vector<std::string> taken = jobs::taken_by(objects); !taken.empty())
    context.note((request.files.empty() ? "the trial" : join(request.files, ", ")) + " takes " +
                 join(taken, ", "));
}

std::string standard_input(const std::vector<std::string>& files) {
  if (std::find(files.begin(), files.end(), "-") == files.end()) return {};
  return {std::istreambuf_iterator<char>(std::cin), {}};
}

/// Without a command, something has to say what to run; and a cluster needs an image to run it in.
void require_something_to_run(const std::vector<Json>& objects, const spec::SubmitSpec& spec,
                              const std::string& usage, bool is_local) {
  for (const Json& object : objects)
    jobs::each_pod_template(object, [&](const Json& pod, int) {
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

/// The embedded server has the controllers of Jobs and PyTorchJobs, and no other.
void require_local_kinds(const std::vector<Json>& objects) {
  for (const Json& object : objects)
    if (const api::ResourceKind* kind = api::kind_of(object))
      for (std::string_view missing : {"MPIJob", "JobSet", "TrainJob"})
        if (kind->kind == missing)
          throw usage_error("this machine runs no " + std::string(missing) + "s",
                            "the embedded server has no controller for them",
                            "use -t job-indexed or -t pytorchjob here, or a cluster: --context NAME");
}

void set_namespace(Context& context, std::vector<Json>& objects) {
  const std::string& wanted = context.place().namespace_name;
  for (Json& object : objects) {
    const api::ResourceKind* kind = api::kind_of(object);
    if (kind && !kind->namespaced) continue;
    std::string own = string_at(object, {"metadata", "namespace"});
    if (own.empty())
      object["metadata"]["namespace"] = wanted;
    else if (!context.options().namespace_name.empty() && own != wanted)
      throw usage_error("-n " + wanted + " contradicts the manifest of " + string_at(object, {"kind"}) +
                            " \"" + string_at(object, {"metadata", "name"}) + "\"",
                        "its namespace is " + own);
  }
}

std::vector<jobs::Belonging> secrets_for(const spec::SubmitSpec& spec, const SubmitRequest& request,
                                         const jobs::Marks& marks, const std::vector<Json>& objects) {
  for (const spec::SecretVariable& secret : spec.secrets)
    if (secret.from == spec::SecretVariable::From::standard_input &&
        std::find(request.files.begin(), request.files.end(), "-") != request.files.end())
      throw usage_error("both -f - and --secret " + secret.name + "=- read standard input");
  return jobs::secret_belongings(jobs::read_secret_values(spec.secrets, std::cin), spec.secret_object, marks,
                                 objects);
}

}  // namespace

std::string user_name() {
  for (const char* variable : {"USER", "LOGNAME"})
    if (std::string name = environment(variable); !name.empty()) return name;
  const passwd* entry = ::getpwuid(::getuid());
  return entry ? entry->pw_name : std::to_string(::getuid());
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

Prepared prepare(Context& context, const SubmitRequest& request) {
  std::vector<spec::Setting> settings;
  // A manifest is whole as it is: defaults are for what templates leave open.
  const bool has_manifests = !request.files.empty() || !request.manifests.empty();
  answer_for_project_file(context, request.flags, has_manifests);
  if (!has_manifests) settings = context.config().submit_settings();
  settings.insert(settings.end(), request.flags.begin(), request.flags.end());
  // A queue's job is made suspended, for Kueue to start; the embedded server has its own queue, and no Kueue.
  const bool has_queue =
      context.place().is_local &&
      std::erase_if(settings, [](const spec::Setting& setting) { return setting.name == "queue"; }) > 0;
  spec::SubmitSpec spec = spec::parse_settings(settings, request.command);
  const std::string base = spec::name_base(spec);
  jobs::Marks marks = jobs::new_marks(user_name(), base, request.command);
  jobs::Code code = spec.code.empty() ? jobs::Code() : jobs::pack_code(spec.code);
  // The same each time that the sweep is run: else its trials would be others.
  if (!request.sweep.empty())
    for (std::string& name : code.secrets) name += "-" + request.sweep;
  const auto name_belongings = [&] {
    spec.secret_object = request.sweep.empty() ? jobs::secret_object_name(marks.submit_id)
                                               : jobs::sweep_object_name(request.sweep);
    spec.code_secrets = code.secrets;
  };

  Prepared prepared;
  prepared.user = user_name();
  prepared.key = request.key;
  render::Rendered rendered;
  name_belongings();
  marks.key = request.key;
  prepared.submit_id = marks.submit_id;
  if (!has_manifests) {
    if (spec.template_name.empty()) spec.template_name = "job";
    render::Template source = render::Catalog(context.config().template_folders()).load(spec.template_name);
    for (spec::Setting& setting : as_parameters(request.unknown, source.parameters))
      settings.push_back(std::move(setting));
    std::string template_name = spec.template_name;
    spec = spec::parse_settings(settings, request.command);
    spec.template_name = template_name;
    name_belongings();
    // Drawn before rendering, so that a template can use the name.
    if (spec.name.empty()) spec.name = marks.draw_name(request.command.empty() ? source.name : base, 0);
    rendered = render::render(spec, source);
    std::stable_partition(rendered.objects.begin(), rendered.objects.end(), jobs::is_job);
    require_something_to_run(rendered.objects, spec, request.usage, context.place().is_local);
    prepared.template_name = spec.template_name;
  } else {
    for (const spec::Setting& flag : request.flags)
      if (flag.name == "template") throw usage_error("both -t and -f were given", "", "use one of them");
    as_parameters(request.unknown, {});
    rendered = render::render(
        spec, request.files.empty() ? request.manifests
                                    : render::load_manifests(request.files, standard_input(request.files)));
  }
  if (context.place().is_local) require_local_kinds(rendered.objects);
  if (has_manifests) tell_what_is_taken(context, request, rendered.objects);
  prepared.objects = jobs::marked(std::move(rendered.objects), marks);
  prepared.notes = std::move(rendered.notes);
  for (const auto& [name, value] : spec.env)
    if (!value.empty() && jobs::is_secret(name, value))
      prepared.notes.push_back("the value of " + name + " can be read by all who may see the job; --secret " +
                               name + " hides it");
  if (has_queue)
    prepared.notes.emplace_back("the queue is left out: the embedded server has one for all jobs");
  set_namespace(context, prepared.objects);
  prepared.belongings = secrets_for(spec, request, marks, prepared.objects);
  if (!spec.code.empty()) {
    for (jobs::Belonging& part : jobs::code_belongings(code, marks, prepared.objects))
      prepared.belongings.push_back(std::move(part));
    prepared.code_folder = std::filesystem::canonical(spec.code);
    prepared.notes.push_back("code: " + code.summary);
  }
  if (spec.nodes.value_or(1) > 1) jobs::mark_gangs(prepared.objects);
  if (context.place().is_local)
    jobs::add_local_surroundings(prepared.objects, std::filesystem::current_path());
  return prepared;
}

}  // namespace kml::cli
