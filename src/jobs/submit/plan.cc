// From a request to the manifests that are sent: settings -> spec -> template -> names, labels, Secrets,
// code.
#include <algorithm>
#include <iterator>

#include "jobs/submit/plan_checks.h"
#include "kml/core/text.h"
#include "kml/jobs/submit/code.h"
#include "kml/jobs/submit/secret_env.h"
#include "kml/jobs/submit/secret_values.h"
#include "kml/jobs/submit/submit.h"
#include "kml/jobs/views/kinds.h"
#include "kml/jobs/views/own_names.h"
#include "kml/render/catalog.h"
#include "kml/render/render.h"

namespace kml::jobs {

namespace {

/// A queue's job is made suspended, for Kueue to start; the embedded server has its own queue, and no Kueue.
bool leave_out_queue(std::vector<spec::Setting>& settings) {
  return std::erase_if(settings, [](const spec::Setting& setting) { return setting.name == "queue"; }) > 0;
}

std::string template_in(const std::vector<spec::Setting>& settings) {
  std::string name;
  for (const spec::Setting& setting : settings)
    if (setting.name == "template") name = setting.value;
  return name.empty() ? "job" : name;
}

class Planner {
 public:
  Planner(const SubmitRequest& request, std::istream& standard_input)
      : request_(request), standard_input_(standard_input), settings_(request.settings) {}

  SubmitPlan plan() && {
    const bool has_queue = request_.is_local && leave_out_queue(settings_);
    read_template();
    spec_ = spec::parse_settings(settings_, request_.command);
    plan_.user = user_name();
    marks_ = new_marks(plan_.user, spec::name_base(spec_), request_.command);
    marks_.key = request_.key;
    plan_.submit_id = marks_.submit_id;
    plan_.command = request_.command;
    plan_.key = request_.key;
    name_belongings();
    render();
    warn_of_plain_secrets();
    if (has_queue)
      plan_.notes.emplace_back("the queue is left out: the embedded server has one for all jobs");
    set_namespace(plan_.objects, request_.namespace_name, request_.is_namespace_given);
    add_secrets();
    add_code();
    if (spec_.nodes.value_or(1) > 1) mark_gangs(plan_.objects);
    if (request_.is_local) add_local_surroundings(plan_.objects, std::filesystem::current_path());
    return std::move(plan_);
  }

 private:
  /// Its parameters decide what unknown flags mean.
  void read_template() {
    if (!request_.manifests) {
      plan_.template_name = template_in(settings_);
      source_ = render::Catalog(request_.template_folders).load(plan_.template_name);
    }
    std::vector<spec::Setting> parameters =
        as_parameters(request_.unknown, source_ ? source_->parameters : std::vector<render::Parameter>());
    std::move(parameters.begin(), parameters.end(), std::back_inserter(settings_));
  }

  void name_belongings() {
    if (!spec_.code.empty()) code_ = pack_code(spec_.code);
    for (std::string& name : code_.secrets) name += request_.code_suffix;
    spec_.code_secrets = code_.secrets;
    spec_.secret_object =
        request_.secret_object.empty() ? secret_object_name(marks_.submit_id) : request_.secret_object;
  }

  void render() {
    render::Rendered rendered = source_ ? from_template() : render::render(spec_, *request_.manifests);
    if (request_.is_local) require_local_kinds(rendered.objects);
    plan_.objects = marked(std::move(rendered.objects), marks_);
    plan_.notes = std::move(rendered.notes);
  }

  render::Rendered from_template() {
    spec_.template_name = plan_.template_name;
    // Drawn before rendering, so that a template can use the name.
    if (spec_.name.empty())
      spec_.name = marks_.draw_name(request_.command.empty() ? source_->name : marks_.name_base, 0);
    render::Rendered rendered = render::render(spec_, *source_);
    std::stable_partition(rendered.objects.begin(), rendered.objects.end(), is_job);
    require_something_to_run(rendered.objects, spec_, request_.usage, request_.is_local);
    return rendered;
  }

  void warn_of_plain_secrets() {
    for (const auto& [name, value] : spec_.env)
      if (!value.empty() && is_secret(name, value))
        plan_.notes.push_back("the value of " + name + " can be read by all who may see the job; --secret " +
                              name + " hides it");
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
  }

  const SubmitRequest& request_;
  std::istream& standard_input_;
  std::vector<spec::Setting> settings_;
  std::optional<render::Template> source_;
  spec::SubmitSpec spec_;
  Marks marks_;
  Code code_;
  SubmitPlan plan_;
};

}  // namespace

SubmitPlan plan_submit(const SubmitRequest& request, std::istream& standard_input) {
  return Planner(request, standard_input).plan();
}

}  // namespace kml::jobs
