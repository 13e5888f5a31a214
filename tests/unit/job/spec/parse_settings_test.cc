#include <doctest/doctest.h>

#include "kml/job/spec/submit_spec.h"
#include "support/settings.h"

namespace parse_settings_test {

using namespace kml;
using spec::SubmitSpec;

namespace {

SubmitSpec parsed(const std::vector<std::pair<std::string, std::string>>& pairs,
                  std::vector<std::string> command = {}) {
  return spec::parse_settings(flags(pairs), std::move(command));
}

/// The problem of a flag's value; "" if it is valid.
std::string problem_of(const std::string& name, const std::string& value) {
  auto problems = problems_of([&] { parsed({{name, value}}); });
  return problems.empty() ? "" : problems[0].substr(name.size() + 4);
}

}  // namespace

TEST_CASE("spec: every flag in the table is known, and rejects a value that is not UTF-8") {
  for (const spec::Flag& flag : spec::submit_flags())
    CHECK(problem_of(std::string(flag.name), "\xff") == "its value is not UTF-8");
}

TEST_CASE("spec: the sources of volumes, whose names may contain colons") {
  using Kind = spec::Mount::Kind;
  const SubmitSpec spec = parsed({{"mount", "nfs/fs1.example/exports/data:/a:ro"},
                                  {"mount", "image/localhost:5000/team/model:v1@sha256:00:/b"},
                                  {"mount", "new/100Gi:/c"},
                                  {"mount", "new/1.5Ti:fast-ssd:/d"}});
  const auto text = [&](size_t i) {
    const spec::Mount& mount = spec.mounts.at(i);
    return mount.source + " " + mount.sub_path + " " + mount.storage_class + " " + mount.path +
           (mount.read_only ? " ro" : "");
  };
  CHECK(spec.mounts.at(0).kind == Kind::nfs);
  CHECK(text(0) == "fs1.example /exports/data  /a ro");
  CHECK(spec.mounts.at(1).kind == Kind::image);
  CHECK(text(1) == "localhost:5000/team/model:v1@sha256:00   /b ro");
  CHECK(spec.mounts.at(2).kind == Kind::new_claim);
  CHECK(text(2) == "100Gi   /c");
  CHECK(text(3) == "1.5Ti  fast-ssd /d");
}

TEST_CASE("spec: values are parsed") {
  SubmitSpec spec = parsed({{"gpus", "a100:4"},
                            {"mount", "pvc/data/in/a:/data:ro"},
                            {"mount", "host//srv:/srv"},
                            {"time-limit", "1h30m"},
                            {"array", "0-199%8"},
                            {"toleration", "dedicated=ml:NoSchedule"},
                            {"toleration", "*"},
                            {"param", "a=b=c"},
                            {"set", "spec.x[\"a=b\"]={k: [1, two]}"}});
  CHECK(spec.gpus->type == "a100");
  CHECK(spec.gpus->count == 4);
  CHECK(spec.mounts.at(0).source == "data");
  CHECK(spec.mounts.at(0).sub_path == "in/a");
  CHECK(spec.mounts.at(0).read_only);
  CHECK(spec.mounts.at(1).source == "/srv");
  CHECK(spec.time_limit == spec::seconds(5400));
  CHECK(spec.array->numbers.count() == 200);
  CHECK(spec.array->numbers.are_indexes());
  CHECK(spec.array->parallel == 8);
  CHECK(spec.tolerations.at(0) ==
        Json{{"key", "dedicated"}, {"operator", "Equal"}, {"value", "ml"}, {"effect", "NoSchedule"}});
  CHECK(spec.tolerations.at(1) == Json{{"operator", "Exists"}});
  CHECK(spec.parameters.at(0).name == "a");
  CHECK(spec.parameters.at(0).value == "b=c");
  CHECK(spec.sets.at(0).path == "spec.x[\"a=b\"]");
  CHECK(spec.sets.at(0).value == Json{{"k", {1, "two"}}});
}

TEST_CASE("spec: --set keeps the text of a number where Kubernetes wants a string") {
  const std::pair<std::string, Json> table[] = {
      {"metadata.annotations.v=3.10", "3.10"},
      {"metadata.labels.v=007", "007"},
      {"metadata.annotations={v: 3.10, w: yes}", {{"v", "3.10"}, {"w", "yes"}}},
      {"spec={template: {metadata: {labels: {v: 1}}, m: 010}}",
       {{"template", {{"metadata", {{"labels", {{"v", "1"}}}}}, {"m", 8}}}}},
      {"spec.template.spec.nodeSelector.zone=1", "1"},
      {"spec.template.spec.containers[0].args=[1e-7, 3]", {"1e-7", "3"}},
      {"spec.template.spec.containers[0].command[1]=3.10", "3.10"},
      {"spec.template.spec.containers[0].env[0].value=on", "on"},
      {"spec.template.spec.containers[0].env=[{name: A, value: 1}]", {{{"name", "A"}, {"value", "1"}}}},
      {"metadata.annotations.v=~", nullptr},
      {"spec.parallelism=2", 2},
      {"spec.suspend=on", true},
  };
  for (const auto& [text, value] : table) {
    CAPTURE(text);
    CHECK(parsed({{"set", text}}).sets.at(0).value == value);
  }
}

TEST_CASE("spec: the last value is used, and values of a repeatable flag are added") {
  SubmitSpec spec = parsed({{"image", "a"},
                            {"image", "b"},
                            {"env", "A=1"},
                            {"env", "B=2"},
                            {"env", "A=3"},
                            {"param", "x=1"},
                            {"param", "x=2"}});
  CHECK(spec.image == "b");
  CHECK(spec.env == std::map<std::string, std::string>{{"A", "3"}, {"B", "2"}});
  REQUIRE(spec.parameters.size() == 1);
  CHECK(spec.parameters[0].value == "2");
}

TEST_CASE("spec: data replaces data with the same path from a source with less precedence, and only that") {
  using spec::Setting, spec::Source, spec::Origin;
  const Origin flag{Source::flag, "--data"}, project{Source::project_file, "kml.yaml", 3, 1},
      user{Source::user_file, "config.yaml", 2, 1};
  struct Row {
    std::vector<std::pair<Origin, std::string>> values;
    std::vector<std::string> used;  ///< empty if there is a problem
    std::string problem = {};
  };
  const std::string a = "s3://a:/x", b = "s3://b:/y", c = "s3://c:/x", d = "s3://d:/y/", e = "s3://e:/z";
  const Row rows[] = {
      {{{project, a}, {project, b}}, {a, b}},
      {{{project, a}, {flag, c}}, {c}},
      {{{project, a}, {project, b}, {flag, c}}, {b, c}},
      {{{project, a}, {project, b}, {flag, c}, {flag, d}}, {c, d}},
      {{{project, a}, {project, b}, {flag, e}, {flag, d}}, {a, e, d}},
      {{{user, a}, {project, c}, {flag, e}}, {c, e}},
      {{{project, a}, {flag, ""}, {flag, b}}, {b}},
      {{{project, "https://h/f"}, {flag, "https://h/f"}}, {"https://h/f", "https://h/f"}},
      {{{flag, a}, {flag, c}}, {}, "--data: /x is the path of two sources"},
      {{{project, b}, {flag, a}, {flag, c}}, {}, "--data: /x is the path of two sources"},
      {{{project, b}, {project, d}}, {}, "kml.yaml:3:1: /y is the path of two sources"},
      {{{flag, a}, {flag, "s3://c:/x//."}}, {}, "--data: /x is the path of two sources"},
  };
  for (const Row& row : rows) {
    std::vector<Setting> settings;
    for (const auto& [origin, value] : row.values) settings.push_back({"data", value, origin});
    CAPTURE(settings.back().value);
    SubmitSpec spec;
    const auto problems = problems_of([&] { spec = spec::parse_settings(settings, {}); });
    CHECK(spec.data == row.used);
    CHECK((problems.empty() ? "" : problems[0]) == row.problem);
  }
}

TEST_CASE("spec: two values of which only one can be used are rejected, unless one is of kml.yaml") {
  struct Row {
    std::vector<std::pair<std::string, std::string>> flags;
    std::string problem;  // empty if there is none
  };
  for (const Row& row :
       std::vector<Row>{{{{"mount", "pvc/a:/x"}, {"mount", "pvc/b:/x"}},
                         "--mount: path /x already has another value: --mount pvc/a:/x"},
                        {{{"mount", "pvc/a:/x"}, {"mount", "pvc/b://x/"}},
                         "--mount: path /x already has another value: --mount pvc/a:/x"},
                        {{{"mount", "pvc/a:/x/./y"}, {"mount", "pvc/b:/x/y/:ro"}},
                         "--mount: path /x/y already has another value: --mount pvc/a:/x/./y"},
                        {{{"mount", "new/1Gi:/dev//shm/"}, {"shm", "8Gi"}},
                         "--shm: path /dev/shm already has another value: --mount new/1Gi:/dev//shm/"},
                        {{{"mount", "pvc/a:/x"}, {"mount", "pvc/a:/x"}}, ""},
                        {{{"mount", "pvc/a:/x"}, {"mount", "pvc/b:/y"}}, ""},
                        {{{"mount", "new/1Gi:/dev/shm"}, {"shm", "8Gi"}},
                         "--shm: path /dev/shm already has another value: --mount new/1Gi:/dev/shm"},
                        {{{"shm", "8Gi"}, {"mount", "new/1Gi:/dev/shm"}},
                         "--mount: path /dev/shm already has another value: --shm 8Gi"},
                        {{{"shm", "8Gi"}, {"shm", "4Gi"}}, ""},
                        {{{"node-selector", "a=b"}, {"node-selector", "a=c"}},
                         "--node-selector: label a already has another value: --node-selector a=b"},
                        {{{"node-selector", "a=b"}, {"node-selector", "b=b"}}, ""}}) {
    const std::vector<std::string> problems = problems_of([&] { parsed(row.flags); });
    CHECK(problems == (row.problem.empty() ? std::vector<std::string>() : std::vector{row.problem}));
    std::vector<spec::Setting> settings = flags(row.flags);
    settings[0].origin = {spec::Source::project_file, "kml.yaml", 3, 1};
    CHECK(problems_of([&] { spec::parse_settings(settings); }).empty());
  }
  for (const char* path : {"/data", "/data/", "//data", "/./data"}) {
    CAPTURE(path);
    const SubmitSpec spec = spec::parse_settings(std::vector<spec::Setting>{
        {"mount", std::string("pvc/a:") + path, {spec::Source::project_file, "kml.yaml", 3, 1}},
        {"mount", "pvc/b:/data", {spec::Source::flag, "--mount", 0, 0}}});
    REQUIRE(spec.mounts.size() == 1);
    CHECK(spec.mounts[0].source == "b");
    CHECK(spec.mounts[0].path == "/data");
  }
}

TEST_CASE("spec: each source of settings may have only one of --uv, --requirements and --conda") {
  using spec::Setting, spec::Source, spec::Origin;
  const Origin flag{Source::flag, "--x"}, variable{Source::environment, "KML_X"},
      project{Source::project_file, "kml.yaml", 3, 1}, user{Source::user_file, "config.yaml", 2, 1};
  struct Row {
    std::vector<Setting> settings;
    std::string problem;
  };
  const std::string rest = ": a job installs the packages of one list";
  for (const Row& row : std::vector<Row>{
           {{{"uv", "true", flag}, {"requirements", "r.txt", flag}}, "it cannot be used with --uv" + rest},
           {{{"conda", "e.yml", flag}, {"uv", "true", flag}}, "it cannot be used with --conda" + rest},
           {{{"requirements", "r", flag}, {"conda", "e", flag}},
            "it cannot be used with --requirements" + rest},
           {{{"uv", "true", project}, {"conda", "e.yml", project}}, "it cannot be used with uv" + rest},
           {{{"uv", "true", variable}, {"conda", "e.yml", variable}}, "it cannot be used with uv" + rest},
           {{{"uv", "true", user}, {"requirements", "r.txt", project}, {"conda", "e.yml", flag}}, ""},
           {{{"requirements", "a", flag}, {"requirements", "b", flag}},
            "it cannot be used with --requirements a" + rest +
                ", which may include others by lines such as \"-r FILE\""},
           {{{"conda", "a", project}, {"conda", "b", project}}, "it cannot be used with conda a" + rest},
           {{{"requirements", "a", flag}, {"requirements", "a", flag}}, ""},
           {{{"requirements", "a", project}, {"requirements", "b", flag}}, ""},
           {{{"uv", "true", flag}, {"uv", "true", flag}}, ""},
           {{{"uv", "false", flag}, {"requirements", "b", flag}}, ""}}) {
    std::string problem;
    try {
      spec::parse_settings(row.settings, {});
    } catch (const Error& error) {
      problem = error.problems.at(0).text;
    }
    CHECK(problem == row.problem);
  }
}

TEST_CASE("spec: invalid values are rejected with the reason") {
  struct Wrong {
    const char* name;
    const char* value;
    const char* problem;
  };
  for (const Wrong& wrong : std::vector<Wrong>{
           {"gpus", "0.5",
            "\"0.5\" is not a whole number: Kubernetes assigns only whole GPUs; request a slice by its "
            "profile, as in mig-1g.5gb:1"},
           {"gpus", "a100:0.5",
            "\"0.5\" is not a whole number: Kubernetes assigns only whole GPUs; request a slice by its "
            "profile, as in mig-1g.5gb:1"},
           {"gpus", "a100", "\"a100\" has no number: write a100:1"},
           {"gpus", "foo",
            "\"foo\" is neither a number of GPUs nor a GPU type with a number: write 2, or a100:4"},
           {"gpus", "-1", "\"-1\" is less than 0"},
           {"gpus", "", "\"\" is not a whole number"},
           {"gpus", ":2", "\":2\" has no type before \":\""},
           {"gpus", "h100|:8", "a GPU type is missing before or after \"|\""},
           {"gpus", "h100|mig-1g.5gb:8",
            "\"mig-1g.5gb\" cannot be one of several types: name whole GPUs, as in h100|a100"},
           {"gpus", ">=40Gb:1", "\">=40Gb\" is not an amount of memory, as in >=40Gi"},
           {"gpus", ">=40Ei:1", "\">=40Ei\" is more memory than any GPU has"},
           {"gpus", ">=1e30:1", "\">=1e30\" is more memory than any GPU has"},
           {"gpus", ">=99999999999999999Gi:1", "\">=99999999999999999Gi\" is more memory than any GPU has"},
           {"gpus", "h100|>=2Pi:1", "\">=2Pi\" is more memory than any GPU has"},
           {"gpus", "h100|h100:1", "\"h100\" is given twice"},
           {"gpus", "a100|>=40Gi|>=40Gi:1", "\">=40Gi\" is given twice"},
           {"gpus", "h100|a10|a100|b200|h200|l4|l40s|t4|v100:1", "more than 8 GPU types"},
           {"gpus", "99999999999", "\"99999999999\" is not a whole number"},
           {"cpu", "four", "\"four\" is not a number of CPUs; write 4, 1.5 or 500m"},
           {"memory", "0", "\"0\" must be more than 0"},
           {"memory", "16 GB", "\"16 GB\" is not an amount of bytes; write 16Gi"},
           {"memory", "16", "\"16\" is only 16 bytes; write 16Gi"},
           {"shm", "8", "\"8\" is only 8 bytes; write 8Gi"},
           {"mount", "new/100:/data", "\"100\" is only 100 bytes; write 100Gi"},
           {"nodes", "0", "\"0\" is less than 1"},
           {"nodes", "2x", "\"2x\" is not a whole number"},
           {"env", "KML_NOT_THERE",
            "your environment has no variable KML_NOT_THERE; write KML_NOT_THERE=VALUE, or export it first"},
           {"env", "1A=2",
            "variable \"1A\" may contain only letters, digits, \"_\", \"-\" and \".\", and may not start "
            "with a digit"},
           {"mount", "data:/data",
            "\"data\" is not a source: write pvc/NAME, host/DIR, secret/NAME, configmap/NAME, nfs/HOST/DIR, "
            "image/IMAGE or new/SIZE, or ./DIR for a folder on this machine"},
           {"mount", "nfs/fs1:/data", "nfs/fs1 names no folder: write nfs/HOST/DIR"},
           {"mount", "nfs/-a/b:/data",
            "host \"-a\" may contain only lower-case letters, digits, \"-\" and \".\", and each part must "
            "start and end with a letter or digit"},
           {"mount", "nfs/fs1/a/../b:/data", "path \"/a/../b\" may not contain \"..\""},
           {"mount", "image/:/data", "\"\" is not a valid image name"},
           {"mount", "new/lots:/data", "\"lots\" is not an amount of bytes; write 512Mi or 16Gi"},
           {"mount", "new/0:/data", "\"0\" must be more than 0"},
           {"mount", "new/1Gi:A_b:/data",
            "storage class \"A_b\" may contain only lower-case letters, digits, \"-\" and \".\", and each "
            "part must start and end with a letter or digit"},
           {"mount", "new/1Gi:/data:ro", "a new claim is empty, so \":ro\" makes no sense"},
           {"mount", "pvc/data", "\"pvc/data\" is not of the form SOURCE:/path or SOURCE:/path:ro"},
           {"mount", "pvc/data:data", "path \"data\" must be absolute"},
           {"mount", "pvc/data/../x:/data", "folder \"../x\" may not contain \"..\""},
           {"mount", "pvc/data:/a/../b", "path \"/a/../b\" may not contain \"..\""},
           {"mount", "pvc/data:/data:rx",
            "\"pvc/data:/data:rx\" is not of the form SOURCE:/path or SOURCE:/path:ro"},
           {"uv", "maybe", "\"maybe\" is neither true nor false"},
           {"env-store", "secret/x",
            "\"secret/x\" is not a volume for environments: write pvc/NAME, pvc/NAME/SUB or host/DIR"},
           {"env-store", "pvc/x:/data",
            "\"pvc/x:/data\" is not a volume for environments: write pvc/NAME, pvc/NAME/SUB or host/DIR"},
           {"env-store", "pvc/x/../y", "folder \"../y\" may not contain \"..\""},
           {"env-store", "host/a/../b", "path \"/a/../b\" may not contain \"..\""},
           {"chdir", "", "path \"\" must not be empty or contain \":\""},
           {"toleration", "a:NoShedule", "unknown effect \"NoShedule\"; did you mean \"NoSchedule\"?"},
           {"time-limit", "soon", "\"soon\" is not a duration; write 90s, 15m, 2h30m or 7d"},
           {"time-limit", "30", "\"30\" has no unit; write 30s, 30m, 30h or 30d"},
           {"ttl", "1h30", "\"1h30\" has no unit; write 1h30m or 1h30s"},
           {"time-limit", "0s", "\"0s\" is too short; write at least 1s"},
           {"ttl", "99999d", "\"99999d\" is too long"},
           {"array", "9-5",
            "\"9-5\" is not of the form 0-9, 1-5,8 or 0-90:10: \"9-5\" ends before it starts"},
           {"array", "0-", "\"0-\" is not of the form 0-9, 1-5,8 or 0-90:10: a number is missing"},
           {"array", "-1", "\"-1\" is not of the form 0-9, 1-5,8 or 0-90:10: a number is missing"},
           {"array", "1-3,2", "\"1-3,2\" has task 2 twice"},
           {"array", "0-9%0", "\"0\" is less than 1"},
           {"image", "a b", "\"a b\" is not a valid image name"},
           {"param", "x", "\"x\" is not of the form NAME=VALUE"},
           {"set", "spec", "\"spec\" is not of the form PATH=VALUE"},
           {"set", "a..b=1", "\"a..b\" is not a path; write spec.template.spec.containers[0].image"},
           {"set", "a=[1", "\"[1\" is not a YAML value: a \"[\" before this is not closed"}}) {
    INFO(wrong.name << "=" << wrong.value);
    CHECK(problem_of(wrong.name, wrong.value) == wrong.problem);
  }
  CHECK(problem_of("gpus", "a10o:1").find("unknown GPU type \"a10o\"; did you mean \"a10\"?") == 0);
  CHECK(problem_of("name", "Bert").find("\"Bert\" may contain only lower-case letters") == 0);
  CHECK(problem_of("label", "a=b c").find("\"b c\" may contain only letters") == 0);
}

TEST_CASE("spec: all problems are reported at once") {
  CHECK(problems_of([] {
          parsed({{"gpus", "0.5"}, {"memory", "x"}, {"nodes", "2"}, {"array", "0-1"}}, {"\xff"});
        }).size() == 4);
}

TEST_CASE("spec: the base of a generated name is derived from the command") {
  using Words = std::vector<std::string>;
  for (const auto& [command, base] : std::vector<std::pair<Words, std::string>>{
           {{"python", "src/Train_Bert.py", "--lr", "1"}, "train-bert"},
           {{"torchrun", "--nproc", "2", "main.py"}, "main"},
           {{"python3", "-m", "pkg.train"}, "train"},
           {{"/opt/bin/run.sh"}, "run"},
           {{"./kml-trainer"}, "kml-trainer"},
           {{"7z"}, "job-7z"},
           {{".hidden"}, "hidden"},
           {{"/"}, "job"},
           {{}, "job"}}) {
    SubmitSpec spec;
    spec.command = command;
    CHECK(spec::name_base(spec) == base);
  }
}

}  // namespace parse_settings_test
