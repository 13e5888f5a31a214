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

/// "Secret a", or "Secrets a, b"; empty if no Secret of kml is without contents.
std::string empty_secrets_among(const std::vector<Json>& objects) {
  std::vector<std::string> names;
  for (const Json& object : objects)
    if (api::kind_name(object) == "Secret" && api::label_of(object, api::kManagedBy) == "kml" &&
        !has_contents(object))
      names.push_back(api::name_of(object));
  return names.empty() ? "" : (names.size() == 1 ? "Secret " : "Secrets ") + join(names, ", ");
}

}  // namespace

void note_left_out_secrets(Context& context, const std::vector<Json>& printed) {
  if (const std::string secrets = empty_secrets_among(printed); !secrets.empty())
    context.note("the contents of " + secrets +
                 " are not printed: run the command without --dry-run instead of submitting this output");
}

void refuse_left_out_secrets(const std::vector<Json>& manifests) {
  if (const std::string secrets = empty_secrets_among(manifests); !secrets.empty())
    throw usage_error("the manifests lack the contents of " + secrets,
                      "--dry-run does not print the contents of Secrets",
                      "run the command that printed the manifests, without --dry-run; or add the contents");
}

}  // namespace kml::cli
