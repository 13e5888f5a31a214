#include "pipeline/runner/data_pod.h"

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/sha256.h"
#include "kml/base/text.h"
#include "kml/job/views/data_mark.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/names.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/net/fetch/fetch.h"
#include "kml/net/s3/settings.h"
#include "pipeline/runner/pod_bucket.h"
#include "pipeline/runner/step_pod.h"

namespace kml::pipeline {

namespace {

constexpr const char* kDataVolume = "kml-data-store";
/// A step's pod may also have the volume kml-step, with the programs that bring its inputs.
constexpr const char* kProgramVolume = "kml-data-step";
constexpr const char* kEarlierProgramVolume = "kml-step";
constexpr const char* kFetcher = "kml-data";
/// The end of the names of ConfigMaps that several jobs may share.
constexpr const char* kShared = "shared";

/// What kml-step needs to reach the sources. Only the user's own bucket needs settings.
s3::Settings settings_for_pods(const std::vector<fetch::Source>& sources) {
  for (const fetch::Source& source : sources)
    if (source.kind == fetch::Source::Kind::bucket && !is_google(source)) return bucket_settings(source);
  return {.bucket = {"data", ""}, .region = "us-east-1"};
}

/// What a pod must mount, and the ConfigMaps for that.
struct Programs {
  StepPod pod;
  std::vector<Json> objects;
};

Programs programs_for(const std::vector<fetch::Source>& sources, const PodPrograms& programs,
                      const std::string& owner = kShared) {
  Programs made{{.program = "kml-step-" + sha256_hex(programs.step).substr(0, 12) + "-" + owner}, {}};
  PodBucket bucket = pod_bucket(settings_for_pods(sources), programs.packed_s3, owner);
  made.pod.bucket = std::move(bucket.bucket);
  for (const char* name : {"HF_ENDPOINT", "STORAGE_EMULATOR_HOST"})
    if (const std::string value = environment(name); !value.empty())
      made.pod.bucket->variables.push_back(std::string(name) + "=" + value);
  made.objects = std::move(bucket.objects);
  made.objects.push_back({{"apiVersion", "v1"},
                          {"kind", "ConfigMap"},
                          {"metadata", {{"name", made.pod.program}}},
                          {"immutable", true},
                          {"binaryData", {{kStepKey, base64_encoded(programs.step)}}}});
  return made;
}

std::vector<std::string> words_for(const StepPod& programs) {
  std::vector<std::string> words = {std::string(kStepPath), "--bucket", "data", "/kml/step/s3"};
  for (const std::string& variable : programs.bucket->variables)
    words.insert(words.end(), {"--variable", variable});
  return words;
}

Json program_mount() {
  return {{"name", kProgramVolume}, {"mountPath", "/kml/step"}, {"readOnly", true}};
}

/// The container that fetches, with the fields that admission checks may require of every container, and with
/// the variables in which the user may have put a token or a key.
Json fetcher(const Json& container, const std::vector<PodData>& data, const StepPod& programs) {
  Json copy = {{"name", kFetcher}, {"terminationMessagePolicy", "FallbackToLogsOnError"}};
  for (const char* key : {"image", "imagePullPolicy", "securityContext", "env", "envFrom"})
    if (container.contains(key)) copy[key] = container[key];
  for (const char* side : {"requests", "limits"})
    for (const auto& [name, amount] : object_at(container, {"resources", side}).items())
      if (name.find('/') == std::string::npos) copy["resources"][side][name] = amount;  // no GPUs
  std::vector<std::string> words = words_for(programs);
  for (const PodData& each : data)
    words.insert(words.end(),
                 {"--data", each.source.text(), std::string(kDataPath) + "/" + each.source.key()});
  words.emplace_back("--");
  copy["command"] = words;
  copy["volumeMounts"] = Json::array({program_mount()});
  return copy;
}

/// The name of the pod's volume for the data. A pod with two volumes for one claim may never start.
std::string data_volume(const std::string& claim, Json& pod) {
  for (const Json& volume : api::volumes_in(pod))
    if (!claim.empty() && api::claim_name_of(volume) == claim) return api::entry_name(volume);
  Json volume = {{"name", kDataVolume}};
  if (claim.empty())
    volume["emptyDir"] = Json::object();
  else
    volume["persistentVolumeClaim"] = {{"claimName", claim}};
  pod["volumes"].push_back(std::move(volume));
  return kDataVolume;
}

Json data_program_volume(const StepPod& programs) {
  Json volume = program_volume(programs);
  volume["name"] = kProgramVolume;
  return volume;
}

void mount_data(const std::vector<PodData>& data, const std::string& volume, Json& container) {
  for (const PodData& each : data) {
    for (const Json& mount : api::mounts_of(container))
      if (api::mount_path_of(mount) == each.path)
        throw usage_error("--data: " + each.path + " is also the path of another mount", "",
                          "choose another path");
    container["volumeMounts"].push_back(
        {{"name", volume}, {"mountPath", each.path}, {"subPath", each.source.key()}, {"readOnly", true}});
  }
}

void put_data_into_pod(const std::vector<PodData>& data, const std::string& claim, const StepPod& programs,
                       Json& pod) {
  Json& container = pod["containers"][0];
  Json fetching = fetcher(container, data, programs);
  const std::string volume = data_volume(claim, pod);
  pod["volumes"].push_back(data_program_volume(programs));
  fetching["volumeMounts"].push_back({{"name", volume}, {"mountPath", kDataPath}});
  mount_data(data, volume, container);
  Json& first = pod["initContainers"];
  if (!first.is_array()) first = Json::array();
  first.insert(first.begin(), std::move(fetching));
}

}  // namespace

PodData parse_pod_data(const std::string& text) {
  const size_t colon = text.rfind(":/");  // the ":/" in a URL's "://" does not begin the path
  if (colon == std::string::npos || text.compare(colon, 3, "://") == 0)
    throw usage_error("--data " + text + " has no path", "", "write SOURCE:/path");
  PodData data{fetch::parse_source(text.substr(0, colon), "--data"), text.substr(colon + 1)};
  while (data.path.ends_with('/')) data.path.pop_back();
  if (data.path.empty() || contains(data.path, "/.") || contains(data.path, ":") || contains(data.path, "//"))
    throw usage_error("--data " + text + ": \"" + text.substr(colon + 1) + "\" is not a valid mount path");
  return data;
}

std::string claim_of_data_store(const std::string& store) {
  if (store.empty()) return {};
  std::string claim = store.starts_with("pvc/") ? store.substr(4) : "";
  const size_t slash = claim.find('/');
  if (slash != std::string::npos && slash > 0)
    throw usage_error("--data-store " + store + " has a folder", "",
                      "--data-store pvc/" + claim.substr(0, slash));
  if (claim.empty() || !api::dns_subdomain_problem(claim).empty())
    throw usage_error("invalid value \"" + store + "\" for --data-store", "it must be pvc/NAME",
                      "`kml list claims` lists the claims");
  return claim;
}

std::vector<Json> add_data(const std::vector<PodData>& data, const std::string& claim,
                           const PodPrograms& programs, Json& job, const std::string& owner) {
  std::vector<fetch::Source> sources;
  std::vector<std::string> texts;
  for (const PodData& each : data) {
    sources.push_back(each.source);
    texts.push_back(each.source.text());
  }
  Programs made = programs_for(sources, programs, owner.empty() ? kShared : owner);
  job::each_pod_template(job, [&](Json& pod, int) { put_data_into_pod(data, claim, made.pod, pod["spec"]); });
  api::set_annotation(job, job::kData, join(texts, "\n"));
  return std::move(made.objects);
}

std::vector<Json> add_tidying(const std::vector<std::string>& words, const PodPrograms& programs, Json& job) {
  Programs made = programs_for({}, programs);
  job::each_pod_template(job, [&](Json& pod, int) {
    Json& container = pod["spec"]["containers"][0];
    std::vector<std::string> command = words_for(made.pod);
    command.emplace_back("--tidy");
    command.insert(command.end(), words.begin(), words.end());
    command.emplace_back("--");
    container["command"] = std::move(command);
    container["volumeMounts"].push_back(program_mount());
    pod["spec"]["volumes"].push_back(data_program_volume(made.pod));
  });
  return std::move(made.objects);
}

std::vector<Json> renew_data_programs(const PodPrograms& programs, Json& job) {
  if (api::annotation_of(job, job::kData).empty()) return {};
  std::vector<fetch::Source> sources;
  for (const std::string& text : split(api::annotation_of(job, job::kData), '\n'))
    sources.push_back(fetch::parse_source(text, "the recorded --data"));
  Programs made = programs_for(sources, programs);
  job::each_pod_template(job, [&](Json& pod, int) {
    for (Json& volume : pod["spec"]["volumes"]) {
      const std::string name = api::entry_name(volume);
      if (name != kProgramVolume && name != kEarlierProgramVolume) continue;
      volume = program_volume(made.pod);
      volume["name"] = name;
    }
  });
  return std::move(made.objects);
}

}  // namespace kml::pipeline
