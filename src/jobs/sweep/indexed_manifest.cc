#include <algorithm>

#include "jobs/sweep/shown_file.h"
#include "kml/api/labels.h"
#include "kml/jobs/sweep/sweep_runner.h"
#include "kml/jobs/views/disruption.h"
#include "kml/sweep/trial/indexed_template.h"

namespace kml::jobs {

namespace {

/// An object may have 1 MiB of data (ConfigMap validation); the rest of it has some bytes, too.
constexpr size_t kMostBytes = 900 << 10;
constexpr const char* kFolder = "/kml/trials";

/// As many equal numbers of lines as fit, whichever they are: a shell finds its own by a division.
size_t lines_that_fit(const std::vector<std::string>& lines) {
  size_t longest = 0;
  for (const std::string& line : lines) longest = std::max(longest, line.size() + 1);
  return std::max<size_t>(1, kMostBytes / longest);
}

Json labels_of(const SweepRunnerOptions& options) {
  return {{api::kSweep, options.sweep}, {api::kSubmitId, options.submit_id}, {api::kManagedBy, "kml"}};
}

Json object_of(const SweepRunnerOptions& options, const char* version, const char* kind,
               const std::string& name, Json metadata = Json::object()) {
  metadata["name"] = name;
  metadata["namespace"] = options.namespace_name;
  metadata["labels"].update(labels_of(options));
  return {{"apiVersion", version}, {"kind", kind}, {"metadata", std::move(metadata)}};
}

void limit(Json& job, const sweep::SweepSpec& spec, size_t trials) {
  job["completions"] = trials;
  job["parallelism"] = std::min<size_t>(static_cast<size_t>(spec.parallel), trials);
  job["completionMode"] = "Indexed";
  job["backoffLimitPerIndex"] = spec.retries;
  job.erase("backoffLimit");  // of all indexes together
  if (!job.contains("podFailurePolicy"))
    job["podFailurePolicy"]["rules"] = Json::array({disruption_is_no_failure()});
  if (spec.max_failed)
    job["maxFailedIndexes"] = std::min<size_t>(static_cast<size_t>(*spec.max_failed), trials);
  if (const auto time = job.find("activeDeadlineSeconds"); time != job.end()) {
    job["template"]["spec"]["activeDeadlineSeconds"] = *time;  // it is a trial's
    job.erase(time);
  }
}

}  // namespace

IndexedObjects indexed_objects(const SweepRunnerOptions& options, const sweep::SweepSpec& spec,
                               const std::string& name, const std::vector<sweep::TrialJob>& jobs) {
  const sweep::IndexedTemplate indexed(spec);
  std::vector<std::string> lines;
  for (const sweep::TrialJob& job : jobs) lines.push_back(indexed.line(job));
  const size_t in_a_table = lines_that_fit(lines);
  IndexedObjects objects;
  std::vector<std::string> names;
  for (size_t at = 0; at < lines.size(); at += in_a_table) {
    names.push_back(name + "-" + options.submit_id + "-" + std::to_string(names.size()));
    Json table = object_of(options, "v1", "ConfigMap", names.back());
    std::string text;
    for (size_t i = at; i < std::min(at + in_a_table, lines.size()); ++i) text += lines[i] + "\n";
    table.update({{"immutable", true}, {"data", {{"trials", std::move(text)}}}});
    objects.tables.push_back({.object = std::move(table), .is_shared = true});
  }
  Json trial = spec.trial;
  Json& pod = trial["spec"]["template"];
  if (!options.file.empty()) show_file(pod["spec"]["containers"][0], options.file);
  objects.job = indexed.wrapped(trial, kFolder, names, in_a_table);
  Json metadata = objects.job.value("metadata", Json::object());
  metadata.erase("generateName");
  objects.job.update(object_of(options, "batch/v1", "Job", name, std::move(metadata)));
  Json& job = objects.job["spec"];
  job["template"]["metadata"]["labels"].update(labels_of(options));
  for (Json& container : job["template"]["spec"]["containers"])
    container["env"].push_back({{"name", "KML_SWEEP"}, {"value", options.sweep}});
  limit(job, spec, jobs.size());
  return objects;
}

}  // namespace kml::jobs
