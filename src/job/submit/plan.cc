#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "job/packages/planned.h"
#include "job/render/overlay.h"
#include "job/spec/python_module.h"
#include "job/submit/file_here.h"
#include "job/submit/gangs.h"
#include "job/submit/gpu_claims.h"
#include "job/submit/host_paths.h"
#include "job/submit/job_name.h"
#include "job/submit/local_kinds.h"
#include "job/submit/local_mounts.h"
#include "job/submit/secret_env.h"
#include "job/submit/server_fields.h"
#include "kml/base/agent.h"
#include "kml/base/json.h"
#include "kml/base/missing_path.h"
#include "kml/base/text.h"
#include "kml/job/packages/locked.h"
#include "kml/job/render/render.h"
#include "kml/job/render/template.h"
#include "kml/job/spec/submit_spec.h"
#include "kml/job/submit/agents_references.h"
#include "kml/job/submit/code.h"
#include "kml/job/submit/command_check.h"
#include "kml/job/submit/secret_text.h"
#include "kml/job/submit/submit.h"
#include "kml/job/views/data_mark.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

/// Converts flags that only the template knows to parameters: `--max_steps 500` becomes `-p max_steps=500`.
/// Throws a single usage Error for all unknown flags.
std::vector<spec::Setting> as_parameters(const std::vector<spec::UnknownFlag>& unknown,
                                         const std::vector<render::Parameter>& parameters) {
  std::vector<std::string> known;
  for (const render::Parameter& parameter : parameters) known.push_back("--" + parameter.name);
  std::vector<spec::Setting> settings;
  std::vector<std::string> wrong, hints;
  for (const auto& [name, value, near] : unknown) {
    const std::string flag = "--" + name;
    if (std::find(known.begin(), known.end(), flag) != known.end()) {
      settings.push_back({"param", name + "=" + value.value_or("true"), {spec::Source::flag, flag}});
      continue;
    }
    wrong.push_back(flag);
    const std::string meant = near.empty() ? nearest(flag, known).value_or("") : near;
    if (!meant.empty()) {
      const std::string hint = "\"" + meant + "\"";
      if (std::find(hints.begin(), hints.end(), hint) == hints.end()) hints.push_back(hint);
    }
  }
  if (wrong.empty()) return settings;
  const bool is_one = wrong.size() == 1;
  throw usage_error((is_one ? "unknown flag " : "unknown flags ") + join(wrong, ", "),
                    is_one ? "it is neither a flag of kml nor a parameter of the template"
                           : "they are neither flags of kml nor parameters of the template",
                    hints.empty() ? "an argument of the job's command follows \"--\""
                                  : "did you mean " + join(hints, ", ") + "?");
}

constexpr const char* kDefaultTemplate = "job";

/// Throws usage Error if there is no command to run or, on a cluster, no image.
void require_something_to_run(const std::vector<Json>& objects, const spec::SubmitSpec& spec,
                              const std::string& usage, bool is_local) {
  for (const Json& object : objects)
    each_pod_template(object, [&](const Json& pod, int) {
      for (const Json& container : api::containers_of(pod))
        if (spec.command.empty() && !container.contains("command") && !container.contains("args") &&
            api::image_of(container).empty())
          throw usage_error("no command",
                            spec.template_name == kDefaultTemplate
                                ? ""
                                : "template \"" + spec.template_name + "\" has none",
                            usage);
      for (const Json& container : api::containers_of(pod))
        if (!is_local && api::image_of(container).empty())
          throw usage_error(
              "no image", "a cluster runs the command in a container",
              "--image IMAGE, or `image:` in kml.yaml; --context local runs it on this machine");
    });
}

/// Sets the namespace of objects that have none. If a flag chose the namespace, or an agent may use no other
/// (`is_given`), throws usage Error for an object in a different one.
void set_namespace(std::vector<Json>& objects, const std::string& wanted, bool is_given) {
  for (Json& object : objects) {
    const api::ResourceKind* kind = api::kind_of(object);
    if (kind && !kind->namespaced) continue;
    const std::string own = api::namespace_of(object);
    if (own.empty())
      object["metadata"]["namespace"] = wanted;
    else if (is_given && own != wanted)
      throw usage_error("-n " + wanted + " conflicts with the manifest of " + api::kind_name(object) + " \"" +
                            api::name_of(object) + "\"",
                        "its namespace is " + own);
  }
}

// Turns a request into manifests, in these steps: settings -> spec -> template -> names, labels, Secrets,
// code.

/// Removes --queue and --topology for the embedded server. A job in a queue is created suspended, and Kueue
/// starts it. The embedded server has no Kueue, only its own queue.
bool leave_out_queue(std::vector<spec::Setting>& settings) {
  return std::erase_if(settings, [](const spec::Setting& setting) {
           return setting.name == "queue" || setting.name == "topology";
         }) > 0;
}

std::string template_in(const std::vector<spec::Setting>& settings) {
  std::string name;
  for (const spec::Setting& setting : settings)
    if (setting.name == "template") name = setting.value;
  return name.empty() ? kDefaultTemplate : name;
}

constexpr const char* kProcessorLabel = "kubernetes.io/arch";

class Planner {
 public:
  Planner(const SubmitRequest& request, std::istream& standard_input)
      : request_(request), standard_input_(standard_input), settings_(request.settings) {}

  SubmitPlan plan() && {
    const bool has_queue = request_.is_local && leave_out_queue(settings_);
    read_template();
    spec_ = spec::parse_settings(settings_, request_.command);
    settle_folders();
    check_command(request_.command, folder_of_command(), request_.typed);
    plan_.user = user_name();
    plan_.data = {spec_.data, spec_.data_store, spec_.given.contains("data-store")};
    marks_ = new_marks(plan_.user, spec::name_base(spec_), request_.command);
    marks_.key = request_.key;
    if (!request_.submit_id.empty()) marks_.submit_id = request_.submit_id;
    plan_.submit_id = marks_.submit_id;
    plan_.command = request_.command;
    plan_.key = request_.key;
    plan_.unknown_fields = request_.unknown_fields;
    settle_new_claims();
    name_belongings();
    plan_packages();
    render();
    plan_.kept = kept_claims_.size();
    plan_.objects.insert(plan_.objects.begin() + (plan_.objects.empty() ? 0 : 1), kept_claims_.begin(),
                         kept_claims_.end());
    warn_of_plain_secrets();
    warn_of_files_here();
    if (has_queue)
      plan_.notes.emplace_back(
          "the queue or topology is ignored: the embedded server has one queue for all jobs");
    set_namespace(plan_.objects, request_.namespace_name, request_.is_namespace_given || runs_for_agent());
    add_secrets();
    add_code();
    add_packages();
    if (spec_.nodes.value_or(1) > 1) mark_gangs(plan_.objects);
    mark_gpu_choice(spec_.gpus, request_.claims_gpus || request_.is_local, plan_);
    if (source_) require_agents_references(plan_.objects, allowed_references());
    if (request_.is_local) add_local_surroundings(plan_.objects, std::filesystem::current_path());
    return std::move(plan_);
  }

 private:
  /// Reads the template first, because its parameters determine what unknown flags mean.
  void read_template() {
    if (!request_.manifests) {
      plan_.template_name = template_in(settings_);
      source_ = render::Catalog(request_.template_folders).load(plan_.template_name);
    }
    std::vector<spec::Setting> parameters =
        as_parameters(request_.unknown, source_ ? source_->parameters : std::vector<render::Parameter>());
    std::move(parameters.begin(), parameters.end(), std::back_inserter(settings_));
  }

  /// Makes relative folders absolute. The working folder is relative to the code if there is any. Other
  /// folders are relative to the current folder.
  void settle_folders() {
    std::string& folder = spec_.working_folder;
    if (!folder.empty() && !folder.starts_with('/')) {
      if (!spec_.code.empty())
        folder = std::string(render::kCodeFolder) + "/" + folder;
      else
        folder = folder_here("--chdir " + folder, folder, "--chdir /DIR, a folder of the image");
    }
    if (request_.is_local) require_local_mounts(spec_.mounts);
    for (spec::Mount& mount : spec_.mounts)
      if (mount.kind == spec::Mount::Kind::here)
        mount.source = folder_here("--mount " + mount.source + ":" + mount.path, mount.source,
                                   "--mount pvc/NAME:" + mount.path +
                                       ", or host/DIR for a folder of the nodes; --code DIR copies code");
  }

  /// The embedded server has no storage classes, so a claim that ends with the pod is an empty folder there.
  void settle_new_claims() {
    for (spec::Mount& mount : spec_.mounts) {
      if (mount.kind != spec::Mount::Kind::new_claim) continue;
      if (request_.keeps_claims)
        keep_claim(mount);
      else if (request_.is_local)
        mount.kind = spec::Mount::Kind::empty;
    }
    if (request_.keeps_claims && kept_claims_.empty())
      throw usage_error("--keep needs --mount new/SIZE:/path", "it keeps the claims that such mounts create");
  }

  /// Creates the mount's claim beside the job, under a random name: --replace never deletes an earlier claim.
  void keep_claim(spec::Mount& mount) {
    const bool is_for_many = spec_.nodes.value_or(1) > 1 || spec_.array;
    const std::string name =
        (spec_.name.empty() ? marks_.name_base : spec_.name) + "-data-" + random_suffix();
    kept_claims_.push_back(
        {{"apiVersion", "v1"},
         {"kind", "PersistentVolumeClaim"},
         {"metadata",
          {{"name", name}, {"labels", {{api::kManagedBy, "kml"}, {api::kSubmitId, marks_.submit_id}}}}},
         {"spec", render::new_claim_spec(mount, is_for_many ? "ReadWriteMany" : "ReadWriteOnce")}});
    mount.kind = spec::Mount::Kind::pvc;
    mount.source = name;
    plan_.notes.push_back("claim " + name + " stays when the job is deleted: --mount pvc/" + name + ":" +
                          mount.path + " mounts it again");
  }

  /// The folder on this machine. Throws usage Error if the job runs elsewhere, or if the folder does not
  /// exist.
  std::string folder_here(const std::string& flag, const std::string& folder, std::string elsewhere) const {
    if (!request_.is_local)
      throw usage_error(flag + " is a folder on this machine", "pods on a cluster do not have it",
                        std::move(elsewhere));
    std::error_code missing;
    const std::filesystem::path path = std::filesystem::canonical(folder, missing);
    if (missing || !std::filesystem::is_directory(path)) throw not_a_folder(folder, flag);
    return path;
  }

  /// The command's working folder, if that is on this machine.
  std::filesystem::path folder_of_command() const {
    const bool is_of_code = spec_.working_folder.starts_with(render::kCodeFolder);
    if (!spec_.code.empty() && is_of_code)
      return spec_.code + spec_.working_folder.substr(render::kCodeFolder.size());
    if (!spec_.working_folder.empty()) return request_.is_local ? spec_.working_folder : "";
    if (!spec_.code.empty()) return spec_.code;
    return request_.is_local ? std::filesystem::current_path() : std::filesystem::path();
  }

  void name_belongings() {
    if (!spec_.code.empty()) code_ = pack_code(spec_.code, request_.is_local);
    for (std::string& name : code_.secrets) name += request_.code_suffix;
    spec_.code_secrets = code_.secrets;
    spec_.secret_object =
        request_.secret_object.empty() ? secret_object_name(marks_.submit_id) : request_.secret_object;
  }

  /// The processor of the nodes, if the job's node selector determines it.
  std::string chosen_processor() const {
    const auto chosen = spec_.node_selector.find(kProcessorLabel);
    return chosen == spec_.node_selector.end() ? "" : chosen->second;
  }

  /// On this machine, all jobs use the store in the state folder, at its own path.
  void plan_packages() {
    spec::Packages& wanted = spec_.packages;
    if (!wanted.are_wanted()) return packages::refuse_flags_of_packages(spec_.given);
    std::filesystem::path here = std::filesystem::current_path(), folder = folder_of_command();
    if (request_.recorded && spec_.code.empty() && spec_.working_folder.empty())
      here = folder = request_.recorded->folder;
    const bool has_command = !request_.command.empty() || !request_.recorded;
    packages_ = packages::plan_packages(
        {wanted, has_command ? request_.command : request_.recorded->command, folder.empty() ? here : folder,
         spec_.code.empty() ? here : std::filesystem::path(spec_.code), spec_.image, request_.is_local,
         chosen_processor(), spec_.gpus.has_value()});
    wanted.interpreter = packages_.interpreter;
    wanted.secret_object = packages_.secret + request_.code_suffix;
    if (wanted.store) {
      wanted.store->path = render::kEnvironmentsFolder;
    } else if (request_.is_local) {
      const std::string own = packages::environments_folder();
      wanted.store = spec::Mount{spec::Mount::Kind::host, own, "", "", own};
    }
  }

  void render() {
    render::Rendered rendered = source_ ? from_template() : from_manifests();
    if (request_.is_local) require_local_kinds(rendered.objects);
    require_agents_host_paths(rendered.objects);
    plan_.objects = marked(std::move(rendered.objects), marks_);
    check_job_names(plan_.objects);
    std::ranges::move(rendered.notes, std::back_inserter(plan_.notes));
  }

  References allowed_references() const {
    References allowed = made_before_job(plan_);
    allowed.merge(named_by_user(settings_));
    return allowed;
  }

  render::Rendered from_template() {
    spec_.template_name = plan_.template_name;
    // The name is chosen before rendering, so that a template can use it.
    if (spec_.name.empty())
      spec_.name = marks_.draw_name(request_.command.empty() ? source_->name : marks_.name_base, 0);
    render::Rendered rendered = render::render(spec_, *source_);
    std::stable_partition(rendered.objects.begin(), rendered.objects.end(), is_job);
    require_something_to_run(rendered.objects, spec_, request_.usage, request_.is_local);
    return rendered;
  }

  render::Rendered from_manifests() {
    std::vector<Json> manifests = *request_.manifests;
    forget_generated_selectors(manifests);
    forget_groups(manifests);
    forget_gpu_claims(manifests);
    return render::render(spec_, std::move(manifests));
  }

  void warn_of_plain_secrets() {
    for (const auto& [name, value] : spec_.env)
      if (!value.empty() && is_secret(name, value))
        plan_.notes.push_back("the value of " + name +
                              " can be read by everyone who may see the job; --secret " + name + " hides it");
  }

  /// Warns if a command like `python train.py` or `python -m package` uses files in this folder. Whether the
  /// image has them, too, is not known.
  void warn_of_files_here() {
    const bool is_elsewhere = !spec_.code.empty() || !spec_.working_folder.empty() || !spec_.mounts.empty();
    if (request_.is_local || is_elsewhere) return;
    if (std::string note = note_on_file_here(request_.command); !note.empty())
      plan_.notes.push_back(std::move(note));
  }

  void add_secrets() {
    for (const spec::SecretVariable& secret : spec_.secrets)
      if (secret.from == spec::SecretVariable::From::standard_input && request_.reads_standard_input)
        throw usage_error("both -f - and --secret " + secret.name + "=- read standard input");
    plan_.belongings = secret_belongings(read_secret_values(spec_.secrets, standard_input_),
                                         spec_.secret_object, marks_, plan_.objects);
  }

  void add_code() {
    if (spec_.code.empty()) return;
    for (Belonging& part : code_belongings(code_, marks_, plan_.objects))
      plan_.belongings.push_back(std::move(part));
    plan_.code_folder = std::filesystem::canonical(spec_.code);
    plan_.notes.push_back("code: " + code_.summary);
    std::ranges::copy(code_.notes, std::back_inserter(plan_.notes));
  }

  void add_packages() {
    if (packages_.secret.empty()) return;
    for (Belonging& secret :
         shared_secret(packages_.files, spec_.packages.secret_object, marks_, plan_.objects))
      plan_.belongings.push_back(std::move(secret));
    plan_.packages = packages_.record;
    for (Json& object : plan_.objects)
      if (is_job(object)) api::set_annotation(object, kPackages, string_at(plan_.packages, {"lock"}));
    std::ranges::copy(packages_.notes, std::back_inserter(plan_.notes));
  }

  const SubmitRequest& request_;
  std::istream& standard_input_;
  std::vector<spec::Setting> settings_;
  std::optional<render::Template> source_;
  spec::SubmitSpec spec_;
  Marks marks_;
  Code code_;
  std::vector<Json> kept_claims_;
  packages::PlannedPackages packages_;
  SubmitPlan plan_;
};

}  // namespace

SubmitPlan plan_submit(const SubmitRequest& request, std::istream& standard_input) {
  return Planner(request, standard_input).plan();
}

}  // namespace kml::job
