#include "cli/refusal.h"

#include "cli/usable_templates.h"
#include "kml/core/text.h"
#include "kml/jobs/submit/missing_kind.h"
#include "kml/ui/objects.h"

namespace kml::cli {

namespace {

/// The server only says that it has no such namespace.
void explain_namespace(Context& context, Error& error, const std::string& namespace_name) {
  const std::string said = "namespaces \"" + namespace_name + "\" not found";
  if (error.http_status != 404 || (error.why + error.message).find(said) == std::string::npos) return;
  std::vector<std::string> names;
  try {
    for (const Json& item : context.client().list(*api::find_kind("v1", "Namespace"), {}).items)
      names.push_back(string_at(item, {"metadata", "name"}));
  } catch (const Error&) {  // not everybody may list them
  }
  std::string hint = did_you_mean(namespace_name, names);
  error.fix = (hint.empty() ? "" : hint + " ") + "`kubectl create namespace " + namespace_name +
              "` makes it" + (names.empty() ? "" : "; there are " + join(names, ", "));
}

}  // namespace

std::optional<Error> refusal(Context& context, const std::vector<Json>& objects,
                             const std::vector<jobs::Creation>& results) {
  constexpr size_t kShown = 20;
  std::vector<Problem> problems;
  std::optional<Error> first;
  size_t refused = 0, untried = 0;
  for (size_t i = 0; i < results.size(); ++i) {
    const std::optional<Error>& error = results[i].error;
    untried += !error && !results[i].created ? 1 : 0;
    if (!error) continue;
    const Error told = jobs::explained_refusal(*error, objects[i]);
    if (!first) first = told;
    if (++refused > kShown) continue;
    problems.push_back({{}, 0, 0, ui::object_name(objects[i]), told.why.empty() ? told.message : told.why});
    for (const Problem& problem : told.problems) problems.push_back(problem);
  }
  if (!first) return {};
  explain_namespace(context, *first, string_at(objects[0], {"metadata", "namespace"}));
  name_usable_templates(context, *first);
  if (results.size() == 1) return first;
  if (refused > kShown) problems.push_back({{}, 0, 0, {}, std::to_string(refused - kShown) + " more"});
  Error error = *first;
  error.message = std::to_string(refused) + " of " + std::to_string(results.size()) +
                  " objects were refused" +
                  (untried > 0 ? ", and " + std::to_string(untried) + " that follow were not tried" : "");
  error.why.clear();
  error.http_status = 0;
  error.problems = std::move(problems);
  return error;
}

}  // namespace kml::cli
