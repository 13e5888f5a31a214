#include "cli/test_only.h"

#include <ostream>

#include "kml/jobs/trial.h"

namespace kml::cli {

namespace {

void throw_obstacles(const jobs::Trial& trial) {
  if (trial.obstacles.empty()) return;
  if (trial.obstacles.size() == 1) throw Error(trial.obstacles[0]);
  Error all(trial.obstacles[0].code, "this cannot be submitted, or would not run");
  for (const Error& obstacle : trial.obstacles)
    all.problems.push_back({.text = obstacle.message + (obstacle.why.empty() ? "" : ": " + obstacle.why)});
  throw all;
}

}  // namespace

void refuse_impossible(Context& context, const std::vector<Json>& objects,
                       const std::vector<jobs::Belonging>& belongings) {
  throw_obstacles(jobs::try_submit(context.client(), objects, belongings));
}

int test_only(Context& context, const Prepared& prepared) {
  jobs::Trial trial = jobs::try_submit(context.client(), prepared.objects, prepared.belongings);
  for (const std::string& outlook : trial.outlooks) context.streams().out << outlook << "\n";
  context.streams().out << std::flush;
  for (const std::string& note : prepared.notes) context.note(note);
  for (const std::string& unknown : trial.unknown) context.note("not known: " + unknown);
  throw_obstacles(trial);
  return 0;
}

}  // namespace kml::cli
