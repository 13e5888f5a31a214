#include "kml/job/render/render.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "kml/base/files.h"
#include "support/settings.h"
#include "support/temporary_folder.h"

namespace render_test {

using namespace kml;

namespace {

std::vector<std::string> problems_over(const std::string& manifests,
                                       const std::vector<std::pair<std::string, std::string>>& pairs,
                                       std::vector<std::string> command = {}) {
  return problems_of([&] {
    render::render(spec::parse_settings(flags(pairs), std::move(command)),
                   render::parse_manifests(manifests, "f.yaml"));
  });
}

const std::string kPod = "{apiVersion: v1, kind: Pod, spec: {containers: [{name: a}]}}\n";
const std::string kConfigMap = "{apiVersion: v1, kind: ConfigMap}\n";

}  // namespace

TEST_CASE("render: a flag that no manifest has a field for is rejected, and a default is ignored") {
  CHECK(problems_over(kPod, {{"ttl", "1h"}, {"array", "0-3"}, {"param", "a=1"}}) ==
        std::vector<std::string>{"--param: \"a\": only a template has parameters",
                                 "--ttl: Pod has no field for it", "--array: Pod has no field for it"});
  CHECK(problems_over(kPod, {{"nodes", "2"}}) ==
        std::vector<std::string>{"--nodes: the job has no field for the number of its pods"});
  CHECK(problems_over(kConfigMap, {{"gpus", "1"}, {"image", "x"}}, {"python"}) ==
        std::vector<std::string>{"--gpus: the manifests have no job that it could apply to",
                                 "--image: the manifests have no job that it could apply to",
                                 "command: the manifests have no job that could run it"});
  CHECK(problems_over(kPod + "---\n" + kPod, {{"name", "x"}}) ==
        std::vector<std::string>{"--name: cannot name 2 jobs"});
  CHECK(problems_over(kPod, {{"set", "spec.containers[3].x=1"}, {"set", "kind.x=1"}}) ==
        std::vector<std::string>{"--set: spec.containers[3].x: [3] is past the end of a list of 1",
                                 "--set: kind.x: \"x\" cannot be in a string"});

  spec::Setting ttl{"ttl", "1h", {spec::Source::project_file, "kml.yaml", 1, 6}};
  Json pod =
      render::render(spec::parse_settings(std::vector{ttl}), render::parse_manifests(kPod, "f")).objects[0];
  CHECK(pod == render::parse_manifests(kPod, "f")[0]);
}

TEST_CASE("render: --mount replaces what a manifest mounts at the same path, however the path is written") {
  for (const char* path : {"/data", "/data/", "//data", "/./data"}) {
    CAPTURE(path);
    const auto rendered = render::render(
        spec::parse_settings(flags({{"mount", "pvc/mine:/data"}})),
        render::parse_manifests("{apiVersion: v1, kind: Pod, spec: {volumes: [{name: v, emptyDir: {}}], "
                                "containers: [{name: a, image: i, volumeMounts: [{name: v, mountPath: " +
                                    std::string(path) + "}]}]}}",
                                "f"));
    const Json mounts = rendered.objects.at(0).at("spec").at("containers")[0].at("volumeMounts");
    REQUIRE(mounts.size() == 1);
    CHECK(mounts[0].at("mountPath") == "/data");
    CHECK(mounts[0].at("name") != "v");
  }
}

TEST_CASE("render: packages are installed before the command, even if a rerun changes the command") {
  spec::SubmitSpec spec =
      spec::parse_settings(flags({{"image", "py:1"}, {"env-store", "pvc/data/envs"}}), {"python", "a.py"});
  spec.packages.secret_object = "kml-packages-1";
  spec.packages.store->path = "/envs";
  const std::string claim = "{name: own, persistentVolumeClaim: {claimName: data}}";
  const auto pod_of = [](const render::Rendered& rendered) { return rendered.objects.at(0).at("spec"); };
  const auto words_of = [](const Json& pod) { return pod.at("containers")[0].at("command"); };
  Json pod =
      pod_of(render::render(spec, render::parse_manifests("{apiVersion: v1, kind: Pod, spec: {volumes: [" +
                                                              claim + "], containers: [{name: a}]}}",
                                                          "f")));
  const Json words = words_of(pod);
  REQUIRE(words.size() == 9);
  CHECK(std::vector<Json>(words.begin() + 3, words.end()) ==
        std::vector<Json>{"kml-packages", "python3", "/envs", "py:1", "python", "a.py"});
  CHECK(pod.at("volumes").size() == 2);  // before Kubernetes 1.35, a kubelet never mounts a claim twice
  CHECK(pod.at("containers")[0].at("volumeMounts")[1] ==
        Json{{"name", "own"}, {"mountPath", "/envs"}, {"subPath", "envs"}});

  const spec::SubmitSpec again = spec::parse_settings(flags({{"image", "py:2"}}), {"true"});
  const std::vector<Json> recorded = {Json{{"apiVersion", "v1"}, {"kind", "Pod"}, {"spec", pod}}};
  pod = pod_of(render::render(again, recorded));
  CHECK(words_of(pod).size() == 8);
  CHECK(words_of(pod)[6] == "py:2");
  CHECK(words_of(pod)[7] == "true");

  // A rerun with flags for other packages gets those, in the store of the original run or in another one.
  spec::SubmitSpec other = spec::parse_settings(flags({{"image", "py:1"}}), {});
  other.packages.secret_object = "kml-packages-2";
  other.packages.interpreter = "/bin/python3.12";
  const auto secret_of = [](const Json& of) { return of.at("volumes")[1].at("secret").at("secretName"); };
  pod = pod_of(render::render(other, recorded));
  CHECK(secret_of(pod) == "kml-packages-2");
  const Json others = words_of(pod);
  CHECK(std::vector<Json>(others.begin() + 3, others.end()) ==
        std::vector<Json>{"kml-packages", "/bin/python3.12", "/envs", "py:1", "python", "a.py"});
  CHECK(pod.at("volumes").size() == 2);
  other.packages.store = spec::Mount{spec::Mount::Kind::host, "/node", "", "", "/other"};
  pod = pod_of(render::render(other, recorded));
  CHECK(words_of(pod)[5] == "/other");
  CHECK(pod.at("containers")[0].at("volumeMounts")[1].at("mountPath") == "/other");
  CHECK(pod.at("volumes").size() == 3);

  spec.command.clear();
  CHECK(problems_of([&] { render::render(spec, render::parse_manifests(kPod, "f")); }).size() == 1);
}

TEST_CASE("render: for a TrainJob, flags that only its runtime could follow are reported") {
  const auto problems = problems_of([] {
    const std::vector<std::pair<std::string, std::string>> pairs = {
        {"name", "x"}, {"chdir", "/work"}, {"env-from", "s"}, {"priority", "high"}, {"retries", "1"}};
    render::render(spec::parse_settings(flags(pairs)), render::Catalog({}).load("trainjob"));
  });
  REQUIRE(problems.size() == 4);
  CHECK(problems[0] == "--chdir: a TrainJob has no field for this; set it in the runtime");
}

TEST_CASE(
    "render: Open MPI passes to its ranks the variables that flags set, or a note says what is needed") {
  struct Row {
    std::vector<std::string> command;
    std::string words, list, note;  ///< the launcher's command, its list of variables, and the note
  };
  const std::string by_user = "the ranks get A, B only if mpirun passes it on: mpirun -x A -x B";
  const Row rows[] = {
      {{"mpirun", "-np", "2", "train"}, "mpirun -x A -x B -np 2 train", "", ""},
      {{"timeout", "1h", "/opt/mpi/bin/mpiexec", "train"},
       "timeout 1h /opt/mpi/bin/mpiexec -x A -x B train",
       "",
       ""},
      {{"mpirun", "-x", "A=2", "train"}, "mpirun -x B -x A=2 train", "", ""},
      {{"sh", "-c", "cd /work && mpirun train"}, "sh -c cd /work && mpirun train", "A;B", ""},
      {{"sh", "-c", "mpirun -x A train"}, "sh -c mpirun -x A train", "", by_user},
      {{"/opt/train.sh"}, "/opt/train.sh", "", by_user},
  };
  const auto rendered = [](const std::vector<std::string>& command, const std::string& implementation) {
    return render::render(spec::parse_settings(flags({{"template", "mpijob"},
                                                      {"name", "x"},
                                                      {"param", "implementation=" + implementation},
                                                      {"env", "A=1"},
                                                      {"env", "B=2"},
                                                      {"env", "OMPI_MCA_btl=tcp"}}),
                                               command),
                          render::Catalog({}).load("mpijob"));
  };
  const auto launcher = [](const render::Rendered& done) {
    return done.objects[0]["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]["containers"][0];
  };
  const auto text = [](const Json& words) {
    std::string joined;
    for (const Json& word : words) joined += (joined.empty() ? "" : " ") + word.get<std::string>();
    return joined;
  };
  for (const Row& row : rows) {
    const render::Rendered done = rendered(row.command, "OpenMPI");
    const Json container = launcher(done);
    INFO(row.words);
    CHECK(text(container["command"]) == row.words);
    std::string list;
    for (const Json& variable : container["env"])
      if (variable["name"] == "OMPI_MCA_mca_base_env_list") list = variable["value"];
    CHECK(list == row.list);
    CHECK((done.notes.size() == 2 ? done.notes[0] : "") == row.note);
  }
  CHECK(text(launcher(rendered({"mpirun", "train"}, "MPICH"))["command"]) == "mpirun train");
}

TEST_CASE("render: a template for the ranks of one job rejects --array") {
  CHECK(problems_of([] {
          render::render(spec::parse_settings(flags({{"name", "x"}, {"array", "0-3"}})),
                         render::Catalog({}).load("job-indexed"));
        }) == std::vector<std::string>{
                  "--array: tasks are independent, but these pods are ranks of one job: use -t job"});
}

TEST_CASE("render: manifests of a wrong shape are rejected") {
  for (
      const char* text :
      {"{apiVersion: v1, kind: Pod}", "{apiVersion: v1, kind: Pod, spec: 3}",
       "{apiVersion: v1, kind: Pod, spec: {containers: [3]}}", "{apiVersion: batch/v1, kind: Job, spec: [1]}",
       "{apiVersion: kubeflow.org/v1, kind: PyTorchJob, spec: {aReplicaSpecs: {\"a\\\"]\": {template: {}}}}}",
       "{apiVersion: kubeflow.org/v1, kind: PyTorchJob, spec: {\"a.[ReplicaSpecs\": {\"\": {template: {}}}}}",
       "{apiVersion: trainer.kubeflow.org/v1alpha1, kind: TrainJob, spec: 3}",
       "{apiVersion: trainer.kubeflow.org/v1alpha1, kind: TrainJob, spec: {trainer: [], podSpecOverrides: "
       "1}}",
       "{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, spec: {replicatedJobs: [1, {template: 2}]}}",
       "{apiVersion: kubeflow.org/v2beta1, kind: MPIJob, spec: {mpiReplicaSpecs: {Worker: 1, Launcher: {}}}}",
       "{apiVersion: v1, kind: Pod, metadata: 3, spec: {containers: [{name: a, env: 3, resources: x}]}}",
       "{apiVersion: v1, kind: Pod, spec: {containers: [{env: [1]}], volumes: {a: 1}, affinity: 1}}"}) {
    INFO(text);
    CHECK_FALSE(
        problems_over(text, {{"env", "A=1"}, {"gpus", "a100:1"}, {"label", "a=b"}, {"mount", "pvc/a:/a"}})
            .empty());
  }
}

TEST_CASE("render: parameters in kml.yaml apply only to the template that kml.yaml selects") {
  const spec::Setting steps{"param", "steps=5", {spec::Source::project_file, "kml.yaml", 2, 3}};
  const render::Template job = render::Catalog({}).load("job");
  CHECK(problems_of([&] { render::render(spec::parse_settings(std::vector{steps}), job); }) ==
        std::vector<std::string>{
            "kml.yaml:2:3: template \"job\" has no parameter \"steps\"; it has no parameters"});
  std::vector<spec::Setting> settings = flags({{"template", "job"}});
  settings.insert(settings.begin(), steps);
  CHECK(problems_of([&] { render::render(spec::parse_settings(settings), job); }).empty());
}

TEST_CASE("render: a check of a template also renders it") {
  render::check_template(render::Catalog({}).load("job"));
  render::check_template(render::Catalog({}).load("pytorchjob"));
  const auto source =
      render::parse_template("kml: template/v1\nparameters: {a: {}}\nbody: {v: \"x${a}\"}\n", "t", "t.yaml");
  CHECK(problems_of([&] { render::check_template(source); }).size() == 1);
}

TEST_CASE("render: the example in templates/README.md works as described") {
  const std::string readme = read_file(std::filesystem::path(KML_SOURCE_DIR) / "templates/README.md");
  const size_t begin = readme.find("kml: template/v1");
  const auto source =
      render::parse_template(readme.substr(begin, readme.find("```", begin) - begin), "t", "t");
  const auto spec = spec::parse_settings(flags({{"param", "model=bert"}, {"gpus", "a100:1"}}));
  const Json job = render::render(spec, source).objects.at(0);
  const Json& container = array_at(job, {"spec", "template", "spec", "containers"}).at(0);
  CHECK(container["command"] == Json{"tune", "--model=bert", "--epochs=3", "--data=train", "--data=dev"});
  CHECK(container["resources"]["limits"]["nvidia.com/gpu"] == 1);
}

TEST_CASE("render: another type of GPU replaces the one that the manifest asks for") {
  const std::string own = "{key: zone, operator: In, values: [b]}";
  const std::string pod =
      "{apiVersion: v1, kind: Pod, spec: {containers: [{name: a}], affinity: {nodeAffinity: "
      "{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [" +
      own + "]}]}}}}}\n";
  const auto terms_of = [](const std::string& manifest, const std::vector<std::string>& types) {
    Json object;
    for (const std::string& type : types) {
      const std::string text = object.is_null() ? manifest : object.dump();
      object = render::render(spec::parse_settings(flags({{"gpus", type}})),
                              render::parse_manifests(text, "f.yaml"))
                   .objects.at(0);
    }
    return array_at(object, {"spec", "affinity", "nodeAffinity",
                             "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"});
  };
  const std::vector<std::vector<std::string>> rows = {
      {"h100:1"}, {"a100:1", "h100:1"}, {"h100|a100:2", "h100:1"}, {">=40Gi:1", "h100:1"}, {"h100:2", "1"}};
  for (const std::string& manifest : {kPod, pod})
    for (const auto& types : rows) CHECK(terms_of(manifest, types) == terms_of(manifest, {"h100:1"}));
  CHECK(terms_of(kPod, {"h100:1", "0"}).empty());
  CHECK(terms_of(pod, {"h100:1", "0"}).size() == 1);
  for (const char* resource : {"nvidia.com/gpu:1", "amd.com/gpu:1", "nvidia.com/mig-1g.5gb:1"}) {
    CHECK(terms_of(kPod, {resource}).empty());
    CHECK(terms_of(pod, {"h100|a100:1", resource}).size() == 1);
  }
}

TEST_CASE("manifests: documents, lists and JSON give their objects") {
  CHECK(render::parse_manifests("---\n" + kPod + "---\n---\n# nothing\n---\n" + kConfigMap, "f").size() == 2);
  CHECK(render::parse_manifests("{apiVersion: v1, kind: List, items: [" + kPod + "," + kConfigMap + "]}", "f")
            .size() == 2);
  CHECK(render::parse_manifests("{\"apiVersion\":\"v1\",\n\t\"kind\":\"Pod\"}\n", "f").size() == 1);
  CHECK(problems_of([] { render::parse_manifests("a: 1\n---\n{apiVersion: v1}\n---\n[1]\n", "f"); }) ==
        std::vector<std::string>{"f:1:1: not a Kubernetes object: it has no apiVersion",
                                 "f:3:1: not a Kubernetes object: it has no kind",
                                 "f:5:1: not a Kubernetes object: it is not a mapping"});
}

TEST_CASE("manifests: files, folders and standard input are read, and all their problems are reported") {
  TemporaryFolder folder;
  std::ofstream(folder.path() / "b.yaml") << kPod;
  std::ofstream(folder.path() / "a.yml") << kConfigMap;
  std::ofstream(folder.path() / "c.txt") << "not this";
  auto objects = render::load_manifests(std::vector<std::string>{folder.path(), "-"}, kPod);
  REQUIRE(objects.size() == 3);
  CHECK(objects[0]["kind"] == "ConfigMap");
  CHECK_THROWS_AS(render::load_manifests(std::vector<std::string>{"-"}, "# nothing"), Error);
  CHECK_THROWS_AS(render::load_manifests(std::vector<std::string>{folder.path() / "missing"}), Error);
  std::ofstream(folder.path() / "b.yaml") << "a: [";
  std::ofstream(folder.path() / "a.yml") << "a: 1";
  CHECK(problems_of([&] { render::load_manifests(std::vector<std::string>{folder.path()}); }).size() == 2);
}

TEST_CASE("catalog: a folder's template hides the built-in one with the same name") {
  TemporaryFolder folder;
  std::ofstream(folder.path() / "job.yaml") << "kml: template/v1\nhelp: mine\nbody: {kind: X}\n";
  std::ofstream(folder.path() / "extra.yaml") << "kml: template/v1\nbody: {kind: X}\n";
  REQUIRE(::mkfifo((folder.path() / "mpijob.yaml").c_str(), 0600) == 0);  // a pipe is not a file
  render::Catalog catalog({folder.path(), folder.path() / "missing"});
  std::vector<std::string> names;
  for (const auto& entry : catalog.list())
    names.push_back(entry.name + " " + (entry.where == "built-in" ? "built-in" : "own"));
  CHECK(names == std::vector<std::string>{"extra own", "job own", "job-indexed built-in", "jobset built-in",
                                          "mpijob built-in", "pytorchjob built-in",
                                          "pytorchjob-elastic built-in", "serve built-in",
                                          "trainjob built-in", "volcano built-in"});
  CHECK(catalog.load("job").help == "mine");
  CHECK(catalog.load("pytorchjob").parameters.size() == 3);
  CHECK(catalog.load((folder.path() / "extra.yaml").string()).name == "extra");
}

TEST_CASE("catalog: for an unknown template, the nearest name is suggested") {
  try {
    render::Catalog({}).load("pytorch-job");
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.code == ErrorCode::usage);
    CHECK(error.message == "no template \"pytorch-job\"");
    CHECK(error.why.empty());
    CHECK(error.fix ==
          "did you mean \"pytorchjob\"? the templates are job, job-indexed, jobset, mpijob, pytorchjob, "
          "pytorchjob-elastic, serve, trainjob, volcano; for a file: -t ./my.yaml");
  }
  CHECK_THROWS_AS(render::Catalog({}).load("./missing.yaml"), Error);
}

}  // namespace render_test
