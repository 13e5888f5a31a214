#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "kml/base/files.h"
#include "kml/base/process.h"
#include "kml/base/yaml.h"
#include "kml/job/render/render.h"
#include "support/settings.h"

namespace golden_test {

using namespace kml;
namespace fs = std::filesystem;

namespace {

const fs::path kFolder = fs::path(KML_SOURCE_DIR) / "tests/golden/render";

/// One way to submit a job, and the file with the expected manifest.
struct Case {
  std::string name;
  std::vector<std::pair<std::string, std::string>> flags;
  std::vector<std::string> command;
  std::string manifest = {};  ///< a file that is submitted instead of a template
};

const std::vector<std::string> kTrain = {"python", "train.py", "--lr", "0.1"};

using Flags = std::vector<std::pair<std::string, std::string>>;

/// Flags for which every kind of job has a field.
const Flags kEverywhere = {{"name", "bert"},
                           {"image", "img:1"},
                           {"nodes", "4"},
                           {"gpus", "2"},
                           {"cpu", "4"},
                           {"memory", "16Gi"},
                           {"shm", "8Gi"},
                           {"env", "A=1"},
                           {"mount", "pvc/data:/data:ro"},
                           {"node-selector", "type=a"},
                           {"toleration", "spot"},
                           {"service-account", "trainer"},
                           {"label", "team=nlp"},
                           {"annotation", "note=a b"},
                           {"queue", "team-a"}};
const Flags kOfPods = {{"gpus", "a100:2"},   {"env-from", "wandb"}, {"chdir", "/work"},
                       {"priority", "high"}, {"grace", "2m"},       {"pull-secret", "registry"}};
const Flags kLimits = {{"retries", "3"}, {"time-limit", "12h"}, {"ttl", "7d"}};

Flags all(const std::string& kind, Flags more = {}, bool has_pods = true) {
  Flags flags = kEverywhere;
  flags.emplace_back("template", kind);
  if (has_pods)
    for (const Flags& group : {kOfPods, kLimits}) flags.insert(flags.end(), group.begin(), group.end());
  flags.insert(flags.end(), more.begin(), more.end());
  return flags;
}

const std::vector<Case> kCases = {
    {"job_bare", {}, kTrain},
    {"job_resources",
     {{"name", "bert"}, {"image", "img:1"}, {"cpu", "4"}, {"memory", "16Gi"}, {"gpus", "2"}, {"shm", "8Gi"}},
     kTrain},
    {"job_gpu_type", {{"gpus", "a100:4"}}, kTrain},
    {"job_gpu_product", {{"gpus", "NVIDIA-RTX-A6000:1"}}, kTrain},
    {"job_gpu_choice", {{"gpus", "h200|>=40Gi:8"}}, kTrain},
    {"job_mig", {{"gpus", "mig-1g.5gb:1"}}, kTrain},
    {"job_other_vendor", {{"gpus", "amd.com/gpu:2"}}, kTrain},
    {"job_env",
     {{"env", "A=1"}, {"env", "B=$(A)$$"}, {"env", "A=2"}, {"env-from", "wandb"}, {"chdir", "/work"}},
     {"sh", "-c", "echo $$ $HOME $(date)"}},
    {"job_mounts",
     {{"mount", "pvc/data:/data:ro"},
      {"mount", "pvc/data/out:/out"},
      {"mount", "host/srv/cache:/cache"},
      {"mount", "secret/key:/key:ro"},
      {"mount", "configmap/conf/a.ini:/etc/a.ini"}},
     kTrain},
    {"job_new_mounts",
     {{"mount", "nfs/fs1/exports:/data:ro"},
      {"mount", "image/models/llama:1:/model"},
      {"mount", "new/100Gi:/scratch"},
      {"mount", "new/100Gi:/other"},
      {"mount", "new/1Ti:fast:/cache"}},
     kTrain},
    {"job_scheduling",
     {{"node-selector", "node-type=my-precious"},
      {"toleration", "dedicated=ml:NoSchedule"},
      {"toleration", "spot"},
      {"priority", "high-priority"},
      {"grace", "2m"},
      {"service-account", "trainer"},
      {"pull-secret", "registry"}},
     kTrain},
    {"job_limits",
     {{"retries", "3"},
      {"time-limit", "12h"},
      {"ttl", "7d"},
      {"label", "team=nlp"},
      {"annotation", "note=a b"}},
     kTrain},
    {"job_queue", {{"queue", "team-a"}, {"topology", "rack"}}, kTrain},
    {"job_nodes", {{"nodes", "8"}, {"gpus", "1"}}, kTrain},
    {"job_array", {{"array", "0-199%8"}, {"retries", "1"}}, kTrain},
    {"job_all", all("job"), kTrain},
    {"job_set",
     {{"set", "spec.template.spec.hostNetwork=true"}, {"set", "metadata.annotations[\"a.b/c\"]=\"1.5\""}},
     kTrain},
    {"pytorchjob_alone", {{"template", "pytorchjob"}, {"gpus", "1"}}, kTrain},
    {"pytorchjob_nodes",
     {{"template", "pytorchjob"},
      {"name", "bert"},
      {"nodes", "8"},
      {"gpus", "h100:8"},
      {"param", "nproc-per-node=8"},
      {"queue", "team-a"},
      {"topology", "rack:preferred"},
      {"retries", "2"},
      {"ttl", "1h"},
      {"label", "team=nlp"}},
     kTrain},
    {"job-indexed_alone", {{"template", "job-indexed"}, {"name", "bert"}}, kTrain},
    {"job-indexed_all", all("job-indexed", {{"param", "nproc-per-node=2"}}), kTrain},
    {"pytorchjob_all", all("pytorchjob", {{"param", "clean-pods=None"}, {"param", "restart=OnFailure"}}),
     kTrain},
    {"pytorchjob-elastic_all", all("pytorchjob-elastic", {{"param", "min-nodes=2"}}), kTrain},
    {"mpijob_alone", {{"template", "mpijob"}, {"name", "bert"}}, {"mpirun", "train"}},
    {"mpijob_all", all("mpijob"), {"mpirun", "train"}},
    {"jobset_alone", {{"template", "jobset"}, {"name", "bert"}}, kTrain},
    {"jobset_all", all("jobset", {{"param", "nproc-per-node=2"}}), kTrain},
    {"volcano_alone",
     {{"template", "volcano"}, {"name", "bert"}, {"nodes", "2"}, {"queue", "team-a"}},
     kTrain},
    {"serve_alone", {{"template", "serve"}, {"name", "iris"}}, {"python", "serve.py"}},
    {"serve_ready",
     {{"template", "serve"}, {"name", "iris"}, {"nodes", "2"}, {"gpus", "1"}, {"param", "ready=/health"}},
     {"python", "serve.py"}},
    {"trainjob_alone", {{"template", "trainjob"}, {"name", "bert"}}, kTrain},
    {"trainjob_all", all("trainjob", {{"param", "nproc-per-node=2"}}, false), kTrain},
    {"trainjob_newest",
     {{"template", "trainjob"},
      {"name", "bert"},
      {"gpus", "a100:1"},
      {"time-limit", "1h"},
      {"grace", "2m"},
      {"pull-secret", "registry"},
      {"param", "model=hf://google/bert"}},
     kTrain},
    {"manifest_jobset", {{"image", "img:2"}, {"time-limit", "1h"}, {"gpus", "1"}}, {}, "jobset.yaml"},
    {"manifest_mpijob",
     {{"nodes", "4"}, {"gpus", "1"}, {"time-limit", "1h"}},
     {"mpirun", "a"},
     "mpijob.yaml"},
    {"manifest_trainjob",
     {{"nodes", "4"}, {"env", "A=2"}, {"toleration", "spot"}, {"mount", "pvc/data:/data"}},
     {},
     "trainjob.yaml"},
    {"manifest_as_it_is", {}, {}, "job.yaml"},
    {"manifest_overlaid",
     {{"name", "other"}, {"gpus", "a100:1"}, {"env", "A=2"}, {"mount", "pvc/data:/data"}, {"memory", "2Gi"}},
     {"python", "other.py"},
     "job.yaml"},
    {"manifest_pytorchjob",
     {{"nodes", "4"}, {"image", "img:2"}, {"time-limit", "1h"}},
     {},
     "pytorchjob.yaml"},
    {"manifest_cronjob", {{"queue", "team-a"}, {"retries", "1"}, {"cpu", "2"}}, {}, "cronjob.yaml"},
    {"manifest_pod", {{"time-limit", "1h"}, {"label", "a=b"}, {"gpus", "1"}}, {}, "pod.yaml"},
};

render::Rendered rendered(const Case& golden) {
  spec::SubmitSpec spec = spec::parse_settings(flags(golden.flags), golden.command);
  if (!golden.manifest.empty())
    return render::render(spec,
                          render::load_manifests(std::vector{(kFolder / "in" / golden.manifest).string()}));
  return render::render(spec,
                        render::Catalog({}).load(spec.template_name.empty() ? "job" : spec.template_name));
}

}  // namespace

TEST_CASE("render: manifests are those of tests/golden/render (KML_UPDATE_GOLDEN=1 rewrites them)") {
  for (const Case& golden : kCases) {
    INFO(golden.name);
    render::Rendered result = rendered(golden);
    std::string text;
    for (const std::string& note : result.notes) text += "# " + note + "\n";
    for (const Json& object : result.objects)
      text +=
          (text.ends_with("\n---\n") || &object == &result.objects[0] ? "" : "---\n") + yaml::to_yaml(object);
    const fs::path file = kFolder / (golden.name + ".yaml");
    if (std::getenv("KML_UPDATE_GOLDEN")) std::ofstream(file) << text;
    CHECK(text == read_file_if_exists(file).value_or(""));
  }
}

}  // namespace golden_test
