#include "job/first_error/explain_by_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "job/first_error/missed_file.h"
#include "job/first_error/missing_module.h"
#include "job/why/causes.h"
#include "kml/base/text.h"
#include "kml/job/views/has_tasks.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kReadsLog = "kml logs ";

/// "rank 2 (pod gang-2) died first: exit code 1: ValueError: no such batch".
std::string death_in_words(const Death& death, bool is_gang) {
  const std::string pod = "pod " + death.source.pod;
  const std::string who = !is_gang     ? pod + ": "
                          : death.rank ? fmt::format("rank {} ({}) died first: ", *death.rank, pod)
                                       : pod + " died first: ";
  const bool is_end = death.exit.code != 0 || death.exit.signal != 0 || death.exit.out_of_memory;
  return who + (is_end ? in_words(death.exit) : death.exit.reason) +
         (death.told.empty() ? "" : ": " + death.told);
}

/// What kml's own program in the pod has said about its failure, such as ": cannot install …". Empty if the
/// log has a line that looks like an error of the user's program.
std::string told_by_own_program(const Death& death, const Cause& cause) {
  constexpr int kOwnFailure = 125;  // the exit code of in_pod.py and kml-step
  const std::string end = in_words(death.exit);
  const size_t at = cause.failure.find(end);
  const bool is_of_death = death.exit.code == kOwnFailure && contains(cause.failure, death.source.pod);
  return is_of_death && death.told.empty() && at != std::string::npos ? cause.failure.substr(at + end.size())
                                                                      : "";
}

void name_death(const Death& death, bool is_gang, Cause& cause) {
  const std::string by_log = death_in_words(death, is_gang);
  const size_t at = cause.failure.empty() ? std::string::npos : cause.summary.find(cause.failure);
  if (at == std::string::npos) return;
  if (cause.code == CauseCode::evicted) return;  // the node's reason is more helpful than the signal
  // Between two attempts, the cause describes the last attempt, but the first death may belong to an earlier
  // one.
  if (cause.code == CauseCode::backoff && !is_gang &&
      !contains(cause.failure, "pod " + death.source.pod + ":"))
    return;
  const bool is_start =
      // the container's message is more helpful than the exit code
      cause.code == CauseCode::command_cannot_run || cause.code == CauseCode::image_platform;
  if (is_start && death.told.empty()) return;
  cause.summary.replace(at, cause.failure.size(), by_log + told_by_own_program(death, cause));
  if (cause.code == CauseCode::failed) cause.code = CauseCode::exit_code;
  if (death.told.empty()) return;
  cause.brief = death.told;
}

/// In a folder, MLflow stores each metric, parameter and tag in a file with its name, so it cannot store both
/// val and val/acc. kml's module for --track mlflow prevents that, but not for a Python that ignores
/// PYTHONPATH.
void name_metric_names(const std::vector<std::string>& lines, Cause& cause) {
  constexpr std::array<std::string_view, 3> kErrors = {"IsADirectoryError", "NotADirectoryError",
                                                       "FileExistsError"};
  constexpr std::string_view kFolder = "/kml/tracking/";
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kKinds = {
      {{"/metrics/", "metric"}, {"/params/", "parameter"}, {"/tags/", "tag"}}};
  for (const std::string& line : lines) {
    const bool is_one = std::any_of(kErrors.begin(), kErrors.end(),
                                    [&](std::string_view error) { return line.starts_with(error); });
    const size_t folder = line.find(kFolder);
    if (!is_one || folder == std::string::npos) continue;
    for (const auto& [part, kind] : kKinds) {
      const size_t at = line.find(part, folder);
      if (at == std::string::npos) continue;
      const std::string name = line.substr(at + part.size(), line.find('\'', at) - at - part.size());
      // NotADirectoryError names the whole path of the wanted file, because a part of that path is a file.
      // The other errors name only the part that would have to be both a file and a folder.
      const std::string other =
          line.starts_with("NotADirectoryError") ? name.substr(0, name.rfind('/')) : name + "/…";
      cause.summary += fmt::format("; an MLflow folder cannot hold both the {0} {1} and a {0} named {2}",
                                   kind, name, other);
      cause.remedies.insert(
          cause.remedies.begin(),
          {fmt::format("rename one of the {}s, or log to a server instead of --track mlflow: "
                       "--env MLFLOW_TRACKING_URI=https://HOST",
                       kind),
           ""});
      return;
    }
  }
}

/// Removes advice to read a log, because the log does not exist or was already shown.
void drop_log_remedies(const std::optional<FirstError>& first, Cause& cause) {
  const size_t lines = first ? first->death.lines.size() : 0;
  if (first && lines > kShownLines) return;
  std::erase_if(cause.remedies, [](const Remedy& remedy) { return remedy.command.starts_with(kReadsLog); });
}

/// On this machine, the program is a file of its user, and not part of an image.
void speak_of_this_machine(const Json& job, Cause& cause) {
  const bool is_here = !api::annotation_of(api::pod_template_of(job), api::kWorkingFolder).empty();
  if (is_here && cause.code == CauseCode::image_platform)
    cause.remedies = {
        {"build the program for this machine's processor, or begin the script with #!/bin/sh", ""}};
}

bool explains_end(const Cause& cause) {
  return cause.outlook == Outlook::failed || !cause.failure.empty() || cause.code == CauseCode::crash_loop ||
         cause.code == CauseCode::init_container_fails;
}

}  // namespace

void explain_by_log(const std::optional<FirstError>& first, const fs::path& folder, Verdict& verdict) {
  const auto found = std::find_if(verdict.causes.begin(), verdict.causes.end(), explains_end);
  if (found == verdict.causes.end()) return;
  Cause& cause = *found;
  std::vector<std::string> lines = {cause.message, cause.summary};
  if (first) {
    const bool is_array = verdict.object.is_object() && has_tasks(verdict.object);
    name_death(first->death, verdict.job.pods > 1 && !is_array, cause);
    for (const TailLine& line : first->death.lines) lines.push_back(line.text);
    if (cause.code != CauseCode::image_platform &&
        std::any_of(lines.begin(), lines.end(),
                    [](const std::string& line) { return tells_of_processor(line); })) {
      const Outlook outlook = cause.outlook;
      name_processor(cause);
      cause.outlook = outlook;
    }
  }
  drop_log_remedies(first, cause);
  if (verdict.object.is_object()) speak_of_this_machine(verdict.object, cause);
  if (verdict.object.is_object())
    name_missing_module(lines, verdict.object, verdict.job.command, folder, cause);
  name_missed_file(lines, verdict.object, verdict.job.command, folder, cause);
  name_metric_names(lines, cause);
}

}  // namespace kml::job
