#include "job/commands/left_out_secrets.h"

#include <string>

#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::cli {

namespace {

bool has_contents(const Json& secret) {
  return !object_at(secret, {"data"}).empty() || !object_at(secret, {"stringData"}).empty();
}

bool is_secret_object(const Json& object) {
  return api::kind_name(object) == "Secret";
}

/// "Secret a", or "Secrets a, b".
std::string secrets_in_words(const std::vector<std::string>& names) {
  return (names.size() == 1 ? "Secret " : "Secrets ") + join(names, ", ");
}

}  // namespace

void note_left_out_secrets(Context& context, const job::SubmitPlan& plan) {
  std::vector<std::string> names;
  for (const job::Belonging& belonging : plan.belongings)
    if (is_secret_object(belonging.object)) names.push_back(api::name_of(belonging.object));
  for (const Json& object : plan.objects)
    if (is_secret_object(object) && has_contents(object)) names.push_back(api::name_of(object));
  if (!names.empty())
    context.note("the contents of " + secrets_in_words(names) +
                 " are not printed: run the command without --dry-run instead of submitting this output");
}

void refuse_left_out_secrets(const std::vector<Json>& manifests) {
  std::vector<std::string> names;
  for (const Json& object : manifests)
    if (is_secret_object(object) && api::label_of(object, api::kManagedBy) == "kml" && !has_contents(object))
      names.push_back(api::name_of(object));
  if (!names.empty())
    throw usage_error("the manifests lack the contents of " + secrets_in_words(names),
                      "--dry-run does not print the contents of Secrets",
                      "run the command that printed the manifests, without --dry-run; or add the contents");
}

}  // namespace kml::cli
