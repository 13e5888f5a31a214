#include "sweep/commands/katib_template.h"

#include <optional>
#include <string>
#include <vector>

#include "kml/base/error.h"
#include "kml/base/suggestion.h"
#include "kml/base/text.h"
#include "kml/base/yaml.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/resource.h"
#include "kml/local/daemon.h"

namespace kml::cli {

void fetch_trial_template(Context& context, Json& document, bool may_start) {
  const Json* source = find(document, {"spec", "trialTemplate", "configMap"});
  if (!source) return;
  const std::string name = string_at(*source, {"configMapName"}), key = string_at(*source, {"templatePath"}),
                    where = string_at(*source, {"configMapNamespace"}, context.place().namespace_name);
  if (name.empty() || key.empty())
    throw usage_error("spec.trialTemplate.configMap needs configMapName and templatePath");
  if (!may_start && context.place().is_local && !local::status({}).running)
    throw Error(ErrorCode::failure, "cannot read ConfigMap " + name + ", which has the trial's manifest",
                "the embedded server is not running, and --dry-run does not start it", "kml local up");
  const auto map = context.client().get_if_exists(*api::find_kind("v1", "ConfigMap"), where, name);
  if (!map)
    throw Error(ErrorCode::failure, "no ConfigMap " + name + " in namespace " + where,
                "spec.trialTemplate.configMap says that the trial's manifest is in this ConfigMap",
                "create the ConfigMap, or put the manifest into spec.trialTemplate.trialSpec");
  const Json& data = object_at(*map, {"data"});
  if (!data.contains(key)) {
    std::vector<std::string> keys;
    for (const auto& [each, text] : data.items()) keys.push_back(each);
    throw Error(ErrorCode::failure, "ConfigMap " + name + " has no key " + key, "",
                suggestion(key, keys, "its keys: " + (keys.empty() ? "none" : join(keys, ", "))));
  }
  const std::string text_of = "ConfigMap " + where + "/" + name + ", " + key;
  yaml::Node manifest = yaml::parse_one(string_at(data, {key}), text_of);
  yaml::keep_letters(manifest);
  Json& trial_template = document["spec"]["trialTemplate"];
  trial_template["trialSpec"] = yaml::to_json(manifest, text_of);
  trial_template.erase("configMap");
}

}  // namespace kml::cli
