#pragma once

#include "cli/context.h"
#include "kml/core/json.h"

namespace kml::cli {

/// Replaces spec.trialTemplate.configMap of a sweep, {configMapName, configMapNamespace, templatePath}, by
/// the trialSpec in that ConfigMap, as Katib does. Does nothing if the document has none. Throws Error if the
/// ConfigMap or its key does not exist, or its text is not one manifest.
void fetch_trial_template(Context& context, Json& document);

}  // namespace kml::cli
