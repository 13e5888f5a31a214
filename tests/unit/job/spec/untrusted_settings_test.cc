#include <doctest/doctest.h>
#include <sys/stat.h>

#include <fstream>

#include "kml/job/spec/trust.h"
#include "support/settings.h"
#include "support/temporary_folder.h"

namespace untrusted_settings_test {

using namespace kml;
namespace fs = std::filesystem;

namespace {

struct Fixture {
  TemporaryFolder temporary;
  spec::Config config;
  spec::UsersOwn own{.templates = {"job", "mine"}, .context = "dev", .namespace_name = "lab"};

  void project(const std::string& text) {
    std::ofstream(temporary.path() / "kml.yaml") << text;
    config = spec::load_config(
        {temporary.path(), temporary.path() / "none/user.yaml", [](const char*) { return std::string(); }});
  }
  std::vector<std::string> refused(const std::vector<spec::Setting>& over = {}) const {
    std::vector<spec::Setting> settings = config.settings;
    settings.insert(settings.end(), over.begin(), over.end());
    Error error = usage_error("");
    error.problems = spec::untrusted_settings(*config.project, settings, own);
    return problem_lines(error);
  }
};

}  // namespace

TEST_CASE("untrusted settings: all settings that need trust are reported at once, with key and position") {
  Fixture f;
  fs::create_directories(f.temporary.path() / "t");
  std::ofstream(f.temporary.path() / "t/job.yaml");
  std::ofstream(f.temporary.path() / "t/own.yaml");
  f.project(
      "context: prod\nsecrets: [TOKEN, A=@../key, B=-]\nenv-from: [s1]\npull-secrets: [s2]\nservice-account: "
      "root\nmounts: ['host/etc:/e', 'secret/s3:/s', 'pvc/data:/d', 'nfs/fs/x:/n']\ncode: /\ntemplate: "
      "own\ntemplates: [t, "
      "/]\n");
  CHECK(f.refused() ==
        std::vector<std::string>{
            "kml.yaml:1:10 context: selects the context prod",
            "kml.yaml:2:11 secrets: sends your environment variable TOKEN",
            "kml.yaml:2:18 secrets: sends the file ../key",
            "kml.yaml:2:29 secrets: sends your standard input as B",
            "kml.yaml:3:12 env-from: uses the secret s1",
            "kml.yaml:4:16 pull-secrets: uses the secret s2",
            "kml.yaml:5:18 service-account: uses the service account root",
            "kml.yaml:6:10 mounts: mounts a folder on the host: host/etc:/e",
            "kml.yaml:6:25 mounts: mounts a secret: secret/s3:/s",
            "kml.yaml:6:56 mounts: mounts a folder of a file server: nfs/fs/x:/n",
            "kml.yaml:7:7 code: sends a folder outside the folder of kml.yaml: /",
            "kml.yaml:8:11 template: uses a template that is neither built in nor your own: own",
            "kml.yaml:9:13 templates: replaces built-in templates or your own: job",
            "kml.yaml:9:16 templates: / is outside the folder of kml.yaml",
        });
  CHECK(f.refused(flags({{"context", "other"}, {"code", "."}, {"template", "x"}})).size() == 11);
}

TEST_CASE("untrusted settings: settings that only describe the job need no trust") {
  Fixture f;
  f.project(
      "image: img:1\nenv: {OMP_NUM_THREADS: 4, NCCL_DEBUG: INFO}\nmounts: ['pvc/data:/d', 'new/1Gi:/n', "
      "'image/x:/i']\ntemplate: "
      "mine\nnamespace: lab\ncontext: dev\ngpus: 1\ncpu: 1\nmemory: 1Gi\nnodes: 2\nshm: 1Gi\nchdir: src\n"
      "node-selector: {a: b}\ntolerations: [a]\npriority: p\nqueue: q\nretries: 1\ngrace: 1s\ntime-limit: "
      "1h\nttl: 1d\nlabels: {team: a}\nannotations: {note: b}\nparameters: {a: b}\n");
  CHECK(f.refused() == std::vector<std::string>());
  f.project("image: img:1\nenv: {TZ: UTC}\nmounts: ['pvc/data:/d']\n");
  CHECK(spec::project_keys(f.config.settings) == std::vector<std::string>{"image", "env", "mounts"});
}

TEST_CASE(
    "untrusted settings: variables that may do more than tune a program need trust, and so do labels that "
    "other programs act on") {
  Fixture f;
  for (const char* name : {"LD_PRELOAD",
                           "LD_LIBRARY_PATH",
                           "LD_AUDIT",
                           "BASH_ENV",
                           "ENV",
                           "PYTHONPATH",
                           "PYTHONSTARTUP",
                           "PYTHONHOME",
                           "PATH",
                           "NODE_OPTIONS",
                           "GIT_SSH_COMMAND",
                           "PERL5OPT",
                           "RUBYOPT",
                           "JAVA_TOOL_OPTIONS",
                           "HTTPS_PROXY",
                           "https_proxy",
                           "ALL_PROXY",
                           "SSL_CERT_FILE",
                           "REQUESTS_CA_BUNDLE",
                           "AWS_ENDPOINT_URL",
                           "AWS_CONFIG_FILE",
                           "WANDB_BASE_URL",
                           "HF_ENDPOINT",
                           "MLFLOW_TRACKING_URI",
                           "PIP_INDEX_URL",
                           "NCCL_NET_PLUGIN",
                           "NCCL_CONF_FILE",
                           "CUDA_INJECTION64_PATH",
                           "PYTHONBREAKPOINT",
                           "omp_num_threads",
                           "HOME",
                           "KUBECONFIG",
                           "A"}) {
    f.project("env: {" + std::string(name) + ": /x}\n");
    CHECK(f.refused() ==
          std::vector<std::string>{"kml.yaml:1:" + std::to_string(9 + std::string(name).size()) +
                                   " env: sets " + name + " for your command"});
    f.own.runs_files_command = true;
    CHECK(f.refused().empty());
    f.own.runs_files_command = false;
  }
  f.project(
      "labels: {sidecar.istio.io/inject: 'true'}\nannotations: {vault.hashicorp.com/agent-inject: 'true'}\n");
  CHECK(f.refused() ==
        std::vector<std::string>{
            "kml.yaml:1:35 labels: sets the label sidecar.istio.io/inject",
            "kml.yaml:2:49 annotations: sets the annotation vault.hashicorp.com/agent-inject"});
  f.project("namespace: research\n");
  CHECK(f.refused() == std::vector<std::string>{"kml.yaml:1:12 namespace: selects the namespace research"});
}

TEST_CASE(
    "untrusted settings: parameters of the user's own templates need trust, those of built-in templates do "
    "not") {
  Fixture f;
  f.own.written = {"mine"};
  const std::string mine = "template: mine\n", parameters = "parameters: {account: root}\n";
  const auto refused = [&](const std::string& text, const std::vector<spec::Setting>& over = {}) {
    f.project(text);
    const std::vector<std::string> found = f.refused(over);
    for (const std::string& problem : found)
      CHECK(problem.ends_with("parameters: sets the parameter account of a template that you wrote"));
    return found.size() == 1;
  };
  CHECK_FALSE(refused(mine));
  CHECK_FALSE(refused(parameters));
  CHECK_FALSE(refused(parameters, flags({{"template", "mpijob"}})));
  CHECK(refused(mine + parameters));
  CHECK(refused(parameters, flags({{"template", "mine"}})));
  CHECK(refused(parameters, flags({{"template", "./elsewhere.yaml"}})));
  CHECK_FALSE(refused(mine, flags({{"param", "account=me"}})));
  f.own.runs_files_command = true;  // another step, without a template of its own, may use the default
  CHECK_FALSE(refused("template: job\n" + parameters));
  f.own.written = {"job"};
  CHECK(refused(parameters));
  CHECK(refused("template: job\n" + parameters));
}

TEST_CASE(
    "untrusted settings: each flag of submit with a key is either free or needs trust in some form, and no "
    "other is "
    "free") {
  for (const spec::Flag& flag : spec::submit_flags()) {
    const Fixture f;
    const spec::ProjectFile file{f.temporary.path() / "kml.yaml", "kml.yaml", ""};
    const spec::Setting setting{std::string(flag.name), "x.y/z=w", {spec::Source::project_file, "kml.yaml"}};
    const auto problems = spec::untrusted_settings(file, {&setting, 1}, f.own);
    CAPTURE(flag.name);
    if (flag.key.empty()) CHECK(problems.size() == 1);
    if (flag.key.empty()) continue;
    for (const Problem& problem : problems) CHECK(problem.text != "sets " + std::string(flag.name));
  }
}

TEST_CASE("untrusted settings: a link in the folder that leads out of it is treated as outside") {
  Fixture f;
  fs::create_directory_symlink("/etc", f.temporary.path() / "link");
  f.project("code: " + (f.temporary.path() / "link").string() + "\n");
  CHECK(f.refused().size() == 1);
  f.project("code: " + f.temporary.path().string() + "\n");
  CHECK(f.refused().empty());
}

TEST_CASE(
    "trust: covers the templates that the file names, those in its template folders, and those of its "
    "steps") {
  TemporaryFolder temporary;
  using State = spec::TrustRecords::State;
  spec::TrustRecords records(temporary.path() / "state/trusted");
  const fs::path file = temporary.path() / "kml.yaml";
  fs::create_directories(temporary.path() / "t");
  const auto write = [&](const char* name, const char* text) {
    std::ofstream(temporary.path() / name) << text;
  };
  for (const std::string text :
       {"template: t/own.yaml", "templates: t", "templates: [./t]", "templates: ['t/../t']",
        "{spec: {steps: {train: {template: ./t/own.yaml}}}}",
        "{spec: {steps: {train: {template: './t/${params.kind}.yaml'}}}}",
        "{spec: {defaults: &d {template: t/own.yaml}, steps: {train: {<<: *d}}}}"}) {
    CAPTURE(text);
    write("t/own.yaml", "a");
    records.trust(file, text);
    CHECK(records.state_of(file, text) == State::trusted);
    write("t/own.yaml", "b");
    CHECK(records.state_of(file, text) == State::changed);
    write("t/own.yaml", "a");
    CHECK(records.state_of(file, text) == State::trusted);
    fs::remove(temporary.path() / "t/own.yaml");
    CHECK(records.state_of(file, text) == State::changed);
  }
  records.trust(file, "templates: t");
  write("t/job.yaml", "new");
  CHECK(records.state_of(file, "templates: t") == State::changed);
  // Trust still depends on the other templates of the folder, even if one of them is too large to be read.
  write("t/a.yaml", std::string((size_t{1} << 20) + 1, '#').c_str());
  records.trust(file, "templates: t");
  write("t/job.yaml", "newer");
  CHECK(records.state_of(file, "templates: t") == State::changed);
  records.trust(file, "templates: t");
  write("t/a.yaml", "small");
  CHECK(records.state_of(file, "templates: t") == State::changed);
}

TEST_CASE("trust: ends when the file changes or moves, or when the user withdraws it") {
  TemporaryFolder temporary;
  using State = spec::TrustRecords::State;
  spec::TrustRecords records(temporary.path() / "state/trusted");
  const fs::path file = temporary.path() / "kml.yaml";
  CHECK(records.state_of(file, "a") == State::unknown);
  records.trust(file, "a");
  CHECK(records.state_of(temporary.path() / "x/../kml.yaml", "a") == State::trusted);
  CHECK(records.state_of(file, "b") == State::changed);
  CHECK(records.state_of(temporary.path() / "other/kml.yaml", "a") == State::unknown);
  struct stat status {};
  REQUIRE(::stat((temporary.path() / "state/trusted").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
  records.revoke(file);
  CHECK(records.state_of(file, "a") == State::unknown);
  CHECK_THROWS_AS(records.revoke(file), Error);
  CHECK_THROWS_AS(records.trust(temporary.path() / "a\nb/kml.yaml", "a"), Error);
}

}  // namespace untrusted_settings_test
