#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "kml/base/json.h"

namespace kml::cli {

/// Prints a note if pods of the stopped or deleted jobs may still run, because their nodes do not answer.
/// `subject` names what the user stopped, such as "sweep lr1". If the pods cannot be read, prints nothing.
void note_lost_pods(Context& context, const std::string& subject, const std::vector<Json>& jobs);
/// Like note_lost_pods(), for all jobs in the target's namespace that the label selector selects. Sends no
/// request to the embedded server, because its only node is this machine.
void note_lost_pods_of(Context& context, const std::string& subject, const std::string& label_selector);
/// Like note_lost_pods(), for pods that have been read.
void note_lost_among(Context& context, const std::string& subject, const std::vector<Json>& pods);

}  // namespace kml::cli
