#include "jobs/spool/spool_names.h"

#include "kml/core/files.h"

namespace kml::jobs {

namespace {

constexpr size_t kUidDigits = 8;
/// Leaves room for ".json" and the ending of a temporary file.
constexpr size_t kLongestStem = 255 - 32;

std::string with_uid(const std::string& name, const std::string& uid) {
  return path_component(name + "." + uid.substr(0, kUidDigits));
}

}  // namespace

std::filesystem::path spool_path(const LogSource& source) {
  std::filesystem::path path = path_component(source.namespace_name);
  if (!source.job.empty()) path /= with_uid(source.job, source.job_uid);
  return path / with_uid(source.pod, source.pod_uid) /
         path_component(source.container + "." + std::to_string(source.restart), kLongestStem);
}

Json to_json(const SpooledRun& run) {
  const LogSource& source = run.source;
  Json json = {{"namespace", source.namespace_name},
               {"job", source.job},
               {"jobUid", source.job_uid},
               {"pod", source.pod},
               {"podUid", source.pod_uid},
               {"container", source.container},
               {"node", source.node},
               {"label", source.label},
               {"main", source.is_main},
               {"attempt", source.attempt},
               {"restart", source.restart},
               {"complete", run.complete}};
  if (source.rank) json["rank"] = *source.rank;
  return json;
}

std::optional<SpooledRun> spooled_run(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return {};
  SpooledRun run;
  LogSource& source = run.source;
  source.namespace_name = string_at(json, {"namespace"});
  source.job = string_at(json, {"job"});
  source.job_uid = string_at(json, {"jobUid"});
  source.pod = string_at(json, {"pod"});
  source.pod_uid = string_at(json, {"podUid"});
  source.container = string_at(json, {"container"});
  source.node = string_at(json, {"node"});
  source.label = string_at(json, {"label"});
  source.is_main = bool_at(json, {"main"}, true);
  source.attempt = static_cast<int>(int_at(json, {"attempt"}, 1));
  source.restart = static_cast<int>(int_at(json, {"restart"}));
  if (json.contains("rank")) source.rank = static_cast<int>(int_at(json, {"rank"}));
  run.complete = bool_at(json, {"complete"});
  return run;
}

}  // namespace kml::jobs
