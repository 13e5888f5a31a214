#include "cli/refusal.h"

#include <map>
#include <set>

#include "kml/base/text.h"
#include "kml/base/yaml.h"
#include "kml/job/render/render.h"
#include "kml/job/submit/missing_kind.h"
#include "kml/kube/objects/object.h"
#include "kml/ui/objects.h"

namespace kml::cli {

namespace {

/// The kinds in each API version. Each version is requested only once.
class ServedKinds {
 public:
  explicit ServedKinds(kube::Client& client) : client_(client) {}

  bool has(const std::string& api_version, const std::string& kind) {
    const auto [known, is_new] = kinds_.try_emplace(api_version);
    if (is_new) known->second = ask(api_version);
    return known->second.contains(kind);
  }

 private:
  std::set<std::string> ask(const std::string& api_version) {
    const bool is_core = api_version.find('/') == std::string::npos;
    const std::string path = (is_core ? "/api/" : "/apis/") + api_version;
    std::set<std::string> kinds;
    try {
      const Json list = parse_json(client_.get_raw(path), path);
      for (const Json& resource : array_at(list, {"resources"})) kinds.insert(api::kind_name(resource));
    } catch (const Error& error) {
      if (error.http_status != 404 && error.http_status != 403) throw;
    }
    return kinds;
  }

  kube::Client& client_;
  std::map<std::string, std::set<std::string>> kinds_;
};

/// Whether the cluster has all kinds that a job template creates. A template that creates a Deployment is not
/// usable for jobs, because a Deployment's pods do not end.
bool can_run(ServedKinds& served, const yaml::Node& body) {
  if (body.kind == yaml::Kind::sequence) {
    for (const yaml::Node& object : body.items)
      if (!can_run(served, object)) return false;
    return true;
  }
  const yaml::Node *version = body.find("apiVersion"), *kind = body.find("kind");
  if (kind && kind->text == "Deployment") return false;
  return !version || !kind || served.has(version->text, kind->text);
}

std::vector<std::string> usable_templates(Context& context) {
  const render::Catalog catalog(context.config().template_folders());
  ServedKinds served(context.client());
  std::vector<std::string> names;
  for (const render::Catalog::Entry& entry : catalog.list()) {
    try {
      if (can_run(served, *catalog.load(entry.name).body)) names.push_back(entry.name);
    } catch (const Error& error) {
      // the request failed, so the template is not at fault
      if (error.http_status != 0 || error.code == ErrorCode::unreachable) throw;
    }
  }
  return names;
}

}  // namespace

void name_usable_templates(Context& context, Error& error) {
  if (error.reason != job::kNoSuchKind) return;
  error.fix = "ask the cluster's administrators to install it";
  try {
    const std::vector<std::string> names = usable_templates(context);
    if (!names.empty())
      error.fix = "use a template that this cluster can run: " + join(names, ", ") + "; or " + error.fix;
  } catch (const Error&) {  // the original error is more important
  }
}

namespace {

/// Adds to the error how to create the missing namespace, and which ones exist, because the server only says
/// that it does not exist.
void explain_namespace(Context& context, Error& error, const std::string& namespace_name) {
  const std::string said = "namespaces \"" + namespace_name + "\" not found";
  if (error.http_status != 404 || (error.why + error.message).find(said) == std::string::npos) return;
  std::vector<std::string> names;
  try {
    for (const Json& item : context.client().list(*api::find_kind("v1", "Namespace"), {}).items)
      names.push_back(api::name_of(item));
  } catch (const Error&) {  // ignored, because not every user may list namespaces
  }
  std::string hint = did_you_mean(namespace_name, names);
  const Json made = {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", namespace_name}}}};
  error.fix = (hint.empty() ? "" : hint + " ") + "`echo " + shell_quoted(std::vector{made.dump()}) +
              " | kml submit -f -` creates it" +
              (names.empty() ? "" : "; existing namespaces: " + join(names, ", "));
}

}  // namespace

std::optional<Error> refusal(Context& context, const std::vector<Json>& objects,
                             const std::vector<job::Creation>& results) {
  constexpr size_t kShown = 20;
  std::vector<Problem> problems;
  std::optional<Error> first;
  size_t refused = 0, untried = 0, taken_back = 0;
  for (size_t i = 0; i < results.size(); ++i) {
    const std::optional<Error>& error = results[i].error;
    taken_back += results[i].was_taken_back ? 1 : 0;
    untried += !error && !results[i].created && !results[i].was_taken_back ? 1 : 0;
    if (!error) continue;
    const Error told = job::explained_refusal(*error, objects[i]);
    if (!first) first = told;
    if (++refused > kShown) continue;
    problems.push_back({{}, 0, 0, ui::object_name(objects[i]), told.why.empty() ? told.message : told.why});
    for (const Problem& problem : told.problems) problems.push_back(problem);
  }
  if (!first) return {};
  explain_namespace(context, *first, api::namespace_of(objects[0]));
  name_usable_templates(context, *first);
  if (results.size() == 1) return first;
  if (refused > kShown) problems.push_back({{}, 0, 0, {}, std::to_string(refused - kShown) + " more"});
  Error error = *first;
  error.message = std::to_string(refused) + " of " + std::to_string(results.size()) +
                  " objects were rejected" +
                  (untried > 0 ? ", and " + std::to_string(untried) + " more were not tried" : "") +
                  (taken_back > 0 ? ", and " + std::to_string(taken_back) + " more were deleted again" : "");
  error.why.clear();
  error.http_status = 0;
  error.problems = std::move(problems);
  return error;
}

}  // namespace kml::cli
