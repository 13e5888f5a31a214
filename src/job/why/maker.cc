#include <fmt/format.h>

#include <string>
#include <vector>

#include "job/why/causes.h"
#include "kml/base/text.h"
#include "kml/job/views/dev_session.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

namespace {

constexpr std::string_view kSubmit = "kml submit ", kRerun = "kml rerun ", kAgain = "submit it again";
constexpr std::string_view kLogs = "kml logs ";

void replace(std::string& text, std::string_view part, const std::string& by) {
  if (const size_t at = text.find(part); at != std::string::npos) text.replace(at, part.size(), by);
}

/// Replaces `kml submit` by `by` at the start of the command. A `kml submit` after a pipe is left unchanged,
/// because it creates an object that the job needs.
void begin_with(std::string& command, const std::string& by) {
  if (command.starts_with(kSubmit)) command.replace(0, kSubmit.size(), by);
}

/// The names of the flags in a command: "memory and gpus" for "--memory SIZE --gpus N …".
std::string flags_in(const std::string& command) {
  std::vector<std::string> flags;
  for (const std::string& word : split(command, ' '))
    if (word.starts_with("--")) flags.push_back(word.substr(2));
  return join(flags, " and ");
}

/// Rewrites the remedy for a step: its settings are in a file, so no flag can change them.
void speak_of_step(Remedy& remedy, const std::string& run, const std::string& step) {
  replace(remedy.what, kAgain, "run the pipeline again");
  if (remedy.command.starts_with(kRerun)) remedy.command = "kml run resume " + run;
  if (!remedy.command.starts_with(kSubmit)) return;
  std::string fields = flags_in(remedy.command);
  replace(fields, "time-limit", "timeout");  // the name that the file has for it
  remedy.what +=
      fmt::format(" ({}step {} in the pipeline's file)", fields.empty() ? "" : fields + " of ", step);
  remedy.command = "kml run FILE";
}

/// Rewrites the remedy for a model: no flag of `kml serve` can set fields of the manifest.
void speak_of_served(Remedy& remedy, const std::string& name) {
  replace(remedy.what, kAgain, "serve it again");
  replace(remedy.what, "fewer nodes", "fewer replicas");
  replace(remedy.command, "--nodes ", "--replicas ");
  begin_with(remedy.command, "kml serve " + name + " ");
  if (remedy.command.starts_with(kRerun)) remedy.command = "kml serve " + name + " …";
  if (remedy.command.starts_with(kLogs)) remedy.command = "kml serve logs " + name;
  if (contains(remedy.command, " --set ")) remedy.command.clear();
}

}  // namespace

void name_maker(const Json& job, Cause& cause) {
  const std::string run = api::label_of(job, api::kRun), step = api::label_of(job, api::kStep);
  const std::string sweep = api::label_of(job, api::kSweep), name = api::name_of(job);
  const std::string served = api::label_of(job, api::kServe);
  const bool is_of_step = !run.empty() && !step.empty(), is_dev = is_session(job);
  for (Remedy& remedy : cause.remedies) {
    if (!served.empty()) {  // true for a model that a pipeline's step serves, too
      speak_of_served(remedy, served);
    } else if (is_of_step) {
      speak_of_step(remedy, run, step);
    } else if (!sweep.empty()) {
      replace(remedy.what, kAgain, "run the sweep again");
      begin_with(remedy.command, "kml sweep run " + sweep + " ");
      if (remedy.command.starts_with(kRerun)) remedy.command = "kml sweep resume " + sweep;
    } else if (is_dev) {
      replace(remedy.what, kAgain, "start it again");
      begin_with(remedy.command, "kml dev " + name + " ");
      replace(remedy.command, "--time-limit ", "--max ");
      if (remedy.command.starts_with(kRerun)) remedy.command = "kml dev " + name;
    }
  }
}

}  // namespace kml::job
