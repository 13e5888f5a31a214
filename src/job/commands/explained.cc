#include "job/commands/explained.h"

#include <ostream>
#include <utility>

#include "job/tables/reports.h"
#include "kml/ui/objects.h"

namespace kml::cli {

Explained explained(Context& context, const std::string& kind, const std::string& name, job::State state,
                    job::Cause cause) {
  Explained made;
  made.verdict.job.kind = kind;
  made.verdict.job.name = name;
  made.verdict.job.namespace_name = context.place().namespace_name;
  made.verdict.job.state = state;
  made.verdict.causes.push_back(std::move(cause));
  return made;
}

void print_explained(Context& context, const Explained& explained, const std::string& output) {
  if (output.empty()) {
    context.streams().out << for_same_target(context.options(), explained.text) << std::flush;
    if (!explained.log.empty()) context.note("the last lines of " + explained.verdict.causes[0].object + ":");
    for (const std::string& line : explained.log) context.note("  " + line);
    return;
  }
  Json json = ui::to_json(explained.verdict);
  json["log"] = explained.log;
  ui::print_value(context.streams(), json, output);
}

}  // namespace kml::cli
