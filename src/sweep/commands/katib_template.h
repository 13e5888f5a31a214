#pragma once

#include "cli/context.h"
#include "kml/base/json.h"

namespace kml::cli {

/// Replaces spec.trialTemplate.configMap of a sweep, {configMapName, configMapNamespace, templatePath}, by
/// the trialSpec in that ConfigMap, as Katib does. Does nothing if the document has none. Throws Error if the
/// ConfigMap or its key does not exist, or its text is not one manifest; also if the embedded server, which
/// has it, would have to be started, unless it `may_start`.
void fetch_trial_template(Context& context, Json& document, bool may_start);

}  // namespace kml::cli
