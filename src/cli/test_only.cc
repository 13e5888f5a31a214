#include "cli/test_only.h"

#include <ostream>
#include <utility>

#include "cli/refusal.h"
#include "kml/jobs/preflight/preflight.h"

namespace kml::cli {

namespace {

constexpr const char* kOfAll = "the job would be refused, or could not run";

/// Appends `way_on` to each fix. Of several obstacles, makes one error with the message `of_all`.
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

jobs::Rehearsal rehearse(Context& context, const std::vector<Json>& objects,
                         const std::vector<jobs::Belonging>& belongings) {
  jobs::Rehearsal rehearsal = jobs::rehearse(context.client(), objects, belongings, context.place().is_local);
  for (Error& obstacle : rehearsal.obstacles) name_usable_templates(context, obstacle);
  return rehearsal;
}

/// What preflight() says about the job, as said about a served program.
Error as_served(Error error, const std::string& name) {
  const std::pair<std::string, std::string> words[] = {{"job " + name + " cannot", name + " cannot"},
                                                       {"the job's pods", "its replicas"},
                                                       {"submit it again", "serve it again"},
                                                       {"kml submit ", "kml serve " + name + " "}};
  for (std::string* text : {&error.message, &error.why, &error.fix})
    for (const auto& [of_job, of_served] : words)
      if (const size_t at = text->find(of_job); at != std::string::npos)
        text->replace(at, of_job.size(), of_served);
  return error;
}

}  // namespace

void refuse_impossible(Context& context, const std::vector<Json>& objects,
                       const std::vector<jobs::Belonging>& belongings) {
  throw_obstacles(rehearse(context, objects, belongings).obstacles);
}

void refuse_hopeless(Context& context, const jobs::SubmitPlan& plan, const std::string& way_on,
                     const std::string& served) {
  jobs::Preflight found =
      jobs::preflight(context.client(), plan.objects, plan.belongings, context.place().is_local);
  if (!served.empty())
    for (Error& obstacle : found.obstacles) obstacle = as_served(std::move(obstacle), served);
  throw_obstacles(found.obstacles, way_on, served.empty() ? kOfAll : served + " cannot run");
  for (const std::string& warning : found.warnings) context.note(warning);
}

int test_only(Context& context, const jobs::SubmitPlan& plan) {
  const jobs::Rehearsal rehearsal = rehearse(context, plan.objects, plan.belongings);
  for (const std::string& note : plan.notes) context.note(note);
  for (const std::string& unknown : rehearsal.unknown) context.note("could not check: " + unknown);
  throw_obstacles(rehearsal.obstacles);  // what cannot be submitted cannot start either
  for (const std::string& outlook : rehearsal.outlooks) context.streams().out << outlook << "\n";
  context.streams().out << std::flush;
  return 0;
}

}  // namespace kml::cli
