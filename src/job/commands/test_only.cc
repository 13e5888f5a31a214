#include "job/commands/test_only.h"

#include <ostream>

#include "cli/refusal.h"
#include "job/commands/check_wheels.h"
#include "kml/job/preflight/preflight.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/ui/objects.h"

namespace kml::cli {

namespace {

constexpr const char* kOfAll = "the job would be rejected, or could not run";

/// Throws an Error for the obstacles, with `way_on` at the end of its fix. If there are several obstacles,
/// throws a single Error with the message `of_all`.
void throw_obstacles(const std::vector<Error>& obstacles, const std::string& way_on = {},
                     const std::string& of_all = kOfAll) {
  if (obstacles.empty()) return;
  const auto with = [](const std::string& text, const char* separator, const std::string& more) {
    return text + (text.empty() || more.empty() ? "" : separator) + more;
  };
  if (obstacles.size() == 1) {
    Error only = obstacles[0];
    only.fix = with(only.fix, only.fix.ends_with('?') ? " " : "; ", way_on);
    throw only;
  }
  Error all(obstacles[0].code, of_all, "", way_on);
  for (const Error& obstacle : obstacles)
    all.problems.push_back({.text = with(with(obstacle.message, ": ", obstacle.why), "; ", obstacle.fix)});
  throw all;
}

job::Rehearsal rehearse(Context& context, const std::vector<Json>& objects,
                        const std::vector<job::Belonging>& belongings) {
  job::Rehearsal rehearsal = job::rehearse(context.client(), objects, belongings, context.place().is_local);
  for (Error& obstacle : rehearsal.obstacles) name_usable_templates(context, obstacle);
  return rehearsal;
}

}  // namespace

void refuse_impossible(Context& context, const std::vector<Json>& objects,
                       const std::vector<job::Belonging>& belongings) {
  throw_obstacles(rehearse(context, objects, belongings).obstacles);
}

void refuse_hopeless(Context& context, const std::vector<Json>& objects,
                     const std::vector<job::Belonging>& belongings, const std::string& way_on) {
  const job::Preflight found =
      job::preflight(context.client(), objects, belongings, context.place().is_local);
  const std::string served = objects.size() == 1 ? api::label_of(objects[0], api::kServe) : "";
  throw_obstacles(found.obstacles, way_on, served.empty() ? kOfAll : served + " cannot run");
  for (const std::string& warning : found.warnings) context.note(warning);
}

job::Rehearsal checked(Context& context, const job::SubmitPlan& plan) {
  job::Rehearsal rehearsal = rehearse(context, plan.objects, plan.belongings);
  for (const std::string& note : plan.notes) context.note(note);
  check_wheels(context, plan.objects, plan.packages);
  for (const std::string& unknown : rehearsal.unknown) context.note("could not check: " + unknown);
  // if the submit is rejected, whether the job could start does not matter
  throw_obstacles(rehearsal.obstacles);
  return rehearsal;
}

int test_only(Context& context, const job::SubmitPlan& plan, const std::string& output) {
  const job::Rehearsal rehearsal = checked(context, plan);
  if (ui::is_data(output)) {
    ui::print_value(context.streams(), {{"outlook", rehearsal.outlooks}, {"notChecked", rehearsal.unknown}},
                    output);
    return 0;
  }
  for (const std::string& outlook : rehearsal.outlooks) context.streams().out << outlook << "\n";
  context.streams().out << std::flush;
  return 0;
}

}  // namespace kml::cli
