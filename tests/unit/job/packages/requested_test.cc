#include <doctest/doctest.h>

#include <fstream>

#include "job/packages/requested.h"
#include "job/packages/script_header.h"
#include "job/packages/toml.h"
#include "job/packages/uv.h"
#include "kml/base/files.h"
#include "kml/job/packages/locked.h"
#include "kml/job/spec/trust.h"
#include "support/environment.h"
#include "support/settings.h"
#include "support/temporary_folder.h"

namespace requested_packages_test {

using namespace kml;
namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

namespace {

std::string problem_of(const std::string& toml) {
  const Texts problems = problems_of([&] { packages::read_toml(toml, "f"); });
  return problems.empty() ? "" : problems[0];
}

/// Files in a separate folder, and the request for packages that --uv or --requirements finds in them.
struct Folder {
  TemporaryFolder temporary;
  EnvironmentVariable state{"KML_STATE_DIR", (temporary.path() / "state").c_str()};

  void write(const char* name, const std::string& text) const {
    std::ofstream(temporary.path() / name) << text;
  }
  packages::Requested uv(const Texts& command = {"python", "train.py"}) const {
    spec::Packages wanted;
    wanted.by_uv = true;
    return packages::requested_packages(wanted, command, temporary.path(), temporary.path());
  }
  packages::Requested requirements(const std::string& text) const {
    write("requirements.txt", text);
    spec::Packages wanted;
    wanted.requirements = temporary.path() / "requirements.txt";
    return packages::requested_packages(wanted, {}, temporary.path(), temporary.path());
  }
  static Texts powers_of(const packages::Requested& requested) {
    Texts texts;
    for (const packages::Power& power : requested.powers)
      texts.push_back(std::to_string(power.problem.line) + ": " + power.problem.text);
    return texts;
  }
};

std::string script(const std::string& header) {
  return "#!/usr/bin/env python3\n# /// script\n" + header + "# ///\nprint(1)\n";
}

}  // namespace

TEST_CASE("packages: what kml waits for is named by the host of the default index, without its password") {
  const Folder f;
  const EnvironmentVariable config{"XDG_CONFIG_HOME", f.temporary.path().c_str()};
  const EnvironmentVariable none{"UV_INDEX_URL", ""};
  const char* const usual = packages::Uv::own_config().empty() ? "PyPI" : "your package index";
  struct Row {
    const char *variable, *of_file, *host;
  };
  for (const Row& row :
       {Row{"", "", usual}, Row{"", "https://h:8443/simple", "h:8443"},
        Row{"", "corp=https://u:p@h/simple", "h"}, Row{"https://own", "https://h/simple", "own"},
        Row{"corp=https://u:p%40@own/x", "", "own"}, Row{"/srv/index", "", usual}}) {
    const EnvironmentVariable own{"UV_DEFAULT_INDEX", row.variable};
    packages::Indexes indexes;
    indexes.first = row.of_file;
    CHECK(packages::host_of_index(indexes) == row.host);
  }
}

TEST_CASE("packages: TOML is read with its strings, lists, tables and comments") {
  const Json toml = packages::read_toml(
      "a = \"x\\u00e9\\n\\\"\" # c\nb.c = 'C:\\d'\n\"d e\" = [ 'x', # one\n  \"y\",\n]\n[t.u]\nn = 1_000\r\n"
      "m = \"\"\"\nfirst \\\n   second\"\"\"\nl = '''a'b'''\n[[r]]\nk = true\n[[r]]\nk = {v = [1, 'q']}\n",
      "f");
  CHECK(toml == Json{{"a", "x\u00e9\n\""},
                     {"b", {{"c", "C:\\d"}}},
                     {"d e", {"x", "y"}},
                     {"t", {{"u", {{"n", 1000}, {"m", "first second"}, {"l", "a'b"}}}}},
                     {"r", {{{"k", true}}, {{"k", {{"v", {1, "q"}}}}}}}});
}

TEST_CASE("packages: invalid TOML is rejected with its position") {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"a = 1\nb = \"x", "f:2:7: string: encountered end-of-file"},
      {"a = 'x\n'",
       "f:1:7: literal string: control characters other than TAB (U+0009) are explicitly prohibited"},
      {"a", "f:1:2: key-value pair: encountered end-of-file"},
      {"\n= 1", "f:2:1: root table: expected keys, tables, whitespace or comments, saw '='"},
      {"a = ", "f:1:5: key-value pair: encountered end-of-file"},
      {"a = 1\na = 2", "f:2:5: key-value pair: cannot redefine existing integer 'a'"},
      {"a = 'x' b", "f:1:9: key-value pair: expected a comment or whitespace, saw 'b'"},
      {"a = ['x' 'y']", "f:1:10: array: expected comma or closing ']', saw '''"},
      {"a = {b = 1", "f:1:11: inline table: encountered end-of-file"},
      {"a = \"\\q\"", "f:1:7: string: unknown escape sequence '\\q'"},
      {"[a\nb = 1", "f:1:3: table header: expected ']', saw '\\n'"},
      {"a = 1\n[a.b]", "f:2:6: table header: cannot redefine existing integer 'a.b' as table"},
      {"[x]\n[x]", "f:2:1: table header: cannot redefine existing table 'x'"},
      {"a = \xff", "f:1:4: Encountered invalid utf-8 sequence"},
      {"a = " + std::string(100, '['),
       "f:1:55: value: exceeded maximum nested value depth of 50 (TOML_MAX_NESTED_VALUES)"},
  };
  for (const auto& [toml, problem] : rows) {
    CAPTURE(toml);
    CHECK(problem_of(toml) == problem);
  }
}

TEST_CASE("packages: a script's header has the form of PEP 723") {
  const auto header = [](const std::string& text) { return packages::script_header(text, "s.py"); };
  CHECK(header("print(1)\n") == std::nullopt);
  CHECK(header("# /// other\n# a = 1\n# ///\n") == std::nullopt);
  CHECK(header("# /// script\n# a = 1\n#\n# b = 2\n# ///\n") == "\na = 1\n\nb = 2\n");
  CHECK(header("#!x\n# /// script\r\n# a = 1\r\n# ///\r\n") == "\n\na = 1\n");
  CHECK(header("# /// script\n# a = '''\n# ///\n# '''\n# ///\nx\n") ==
        "\na = '''\n///\n'''\n");  // the last "# ///" is the end
  CHECK(header("  # /// script\n# a = 1\n# ///\n") == std::nullopt);
  CHECK(problems_of([&] { header("x\n# /// script\n# a = 1\nprint()\n# ///\n"); }) ==
        Texts{"s.py:2:0: the header has no end: \"# ///\""});
  CHECK(problems_of([&] { header("# /// script\n# ///\n# x\n\n# /// script\n# ///\n"); }) ==
        Texts{"s.py:5:0: the script has a second header"});
}

TEST_CASE("packages: --uv takes a script's header first, then the folder's pyproject.toml") {
  const Folder f;
  CHECK_THROWS_AS(f.uv(), Error);
  f.write("pyproject.toml",
          "[project]\nname = 'p'\nrequires-python = '>=3.9'\ndependencies = ['torch>=2', 'x[y] ; extra == "
          "\"z\"']\n");
  packages::Requested found = f.uv();
  CHECK(found.shown == "pyproject.toml");
  CHECK(found.python == ">=3.9");
  CHECK(found.requirements == Texts{"torch>=2", "x[y] ; extra == \"z\""});
  CHECK(found.powers.empty());
  f.write("train.py", "print(1)\n");
  CHECK(f.uv().shown == "pyproject.toml");
  f.write("train.py", script("# dependencies = ['numpy']\n"));
  found = f.uv();
  CHECK(found.shown == "train.py");
  CHECK(found.requirements == Texts{"numpy"});
  CHECK(f.uv({"python", "-m", "train"}).shown == "pyproject.toml");
  f.write("train.py", script("# a b\n"));
  CHECK(problems_of([&] { f.uv(); }) == Texts{"train.py:3:5: key-value pair: expected '=', saw 'b'"});
  f.write("pyproject.toml", "[project]\ndynamic = ['dependencies']\n");
  CHECK_THROWS_WITH_AS(f.uv({"true"}), "pyproject.toml does not list its dependencies", Error);
  f.write("uv.lock", "version = 1\n");
  CHECK_NOTHROW(f.uv({"true"}));
}

TEST_CASE(
    "packages: a setting that makes uv use other sources needs trust, in requirements files and scripts") {
  const Folder f;
  const std::vector<std::pair<std::string, Texts>> rows = {
      {"numpy\n# git+https://x\nscipy>=1 # a@b\ntorch ; python_version < '3.12'\nx[a,b]==1 "
       "--hash=sha256:00\n",
       {}},
      {"x\ny @ https://evil/y.whl\n", {"2: \"y @ https://evil/y.whl\" names where the package is"}},
      {"y[z]@file:///y\n", {"1: \"y[z]@file:///y\" names where the package is"}},
      {"git+https://h/r\n", {"1: \"git+https://h/r\" names where the package is"}},
      {"./local\n", {"1: \"./local\" names where the package is"}},
      {"sub/local\n", {"1: \"sub/local\" names where the package is"}},
      {"a-1.0-py3-none-any.whl\n", {"1: \"a-1.0-py3-none-any.whl\" names where the package is"}},
      {"--index-url http://evil\n", {"1: it sets --index-url http://evil"}},
      {"-i http://evil\n", {"1: it sets -i http://evil"}},
      {"-e .\n", {"1: it sets -e ."}},
      {"x \\\n  --index-url http://evil\n", {"1: \"x --index-url http://evil\" has an option"}},
      {"x==${TOKEN}\n", {"1: \"x==${TOKEN}\" uses a variable of your environment"}},
      {"-r /etc/passwd\n", {"1: it includes /etc/passwd"}},
      {"-r ../other.txt\n", {"1: it includes ../other.txt"}},
      {"-c https://h/c.txt\n", {"1: it includes https://h/c.txt"}},
  };
  for (const auto& [text, powers] : rows) {
    CAPTURE(text);
    CHECK(Folder::powers_of(f.requirements(text)) == powers);
  }
  f.write("train.py",
          script("# dependencies = ['a', 'b @ https://evil']\n# [tool.uv]\n# index-url = 'http://evil'\n"));
  CHECK(Folder::powers_of(f.uv()) ==
        Texts{"3: \"b @ https://evil\" names where the package is", "5: it sets index-url for uv"});
  f.write("train.py",
          script("# [[tool.uv.index]]\n# url = 'http://i'\n# [tool.uv.sources]\n# a = {index = 'i'}\n"));
  CHECK(f.uv().powers.size() == 2);
  CHECK(f.uv().indexes.more == Texts{"http://i"});
}

TEST_CASE("packages: requires-python cannot name a program, because uv would run it here") {
  const Folder f;
  for (const char* python : {">=3.9", ">= 3.9 , < 4", "==3.11.*", "~=3.10.2rc1"}) {
    f.write("train.py", script("# requires-python = '" + std::string(python) + "'\n"));
    CHECK(f.uv().python == python);
  }
  for (const char* python :
       {"./python", "/tmp/python", "python", "3.11", ">=3.9,./python", ">=./python", "--help", ">="}) {
    f.write("train.py", script("# requires-python = '" + std::string(python) + "'\n"));
    CHECK_MESSAGE(problems_of([&] { f.uv(); }).size() == 1, python);
  }
}

TEST_CASE("packages: included requirements and constraints are read, even if a file includes itself") {
  const Folder f;
  f.write("more.txt", "b\n-c limits.txt\n");
  f.write("limits.txt", "c<2\n");
  const packages::Requested found = f.requirements("a\n-r more.txt\n--constraint=limits.txt\n");
  CHECK(found.powers.empty());
  CHECK(found.requirements == Texts{"a", "b"});
  CHECK(found.constraints == Texts{"c<2"});
  CHECK(f.requirements("a\n-r requirements.txt\n--require-hashes\n").requirements == Texts{"a"});
}

TEST_CASE("packages: uv gets options in its own form, in whichever form of pip a file has them") {
  const Folder f;
  const std::string here = f.temporary.path();
  fs::create_directories(f.temporary.path() / "wheels");
  const std::pair<const char*, std::string> rows[] = {
      {"-fwheels", "-f " + here + "/wheels"},
      {"-f\twheels", "-f " + here + "/wheels"},
      {"-f none", "-f none"},
      {"-ihttps://h/simple", "-i https://h/simple"},
      {"--index-url=https://h", "--index-url=https://h"},
      {"--find-links  wheels", "--find-links " + here + "/wheels"}};
  for (const auto& [line, option] : rows) CHECK(f.requirements(line).options == Texts{option});
  CHECK(f.requirements("-ihttps://h/simple").indexes.first == "https://h/simple");
}

TEST_CASE("packages: trust in a script is trust in its header; the script's code may change") {
  const Folder f;
  const fs::path file = f.temporary.path() / "train.py";
  f.write("train.py", script("# dependencies = ['b @ https://h']\n"));
  CHECK_THROWS_WITH_AS(f.uv().require_trust(), "train.py is not trusted", Error);
  spec::trust_records().trust(file, packages::trusted_text(file, read_file(file)));
  CHECK_NOTHROW(f.uv().require_trust());
  f.write("train.py", script("# dependencies = ['b @ https://h']\n") + "print(2)\n");
  CHECK_NOTHROW(f.uv().require_trust());
  f.write("train.py", script("# dependencies = ['b @ https://other']\n"));
  CHECK_THROWS_WITH_AS(f.uv().require_trust(), "train.py has changed since you trusted it", Error);
}

TEST_CASE("packages: a line of the log names the environment") {
  const auto texts = [](const char* line) {
    const packages::NamedEnvironment found = packages::environment_in(line);
    return Texts{found.id, found.python, found.processor, found.libc};
  };
  CHECK(texts("kml: environment 0123456789ab, Python 3.12.4, x86_64, glibc 2.36") ==
        Texts{"0123456789ab", "3.12.4", "x86_64", "glibc 2.36"});
  CHECK(texts("kml: environment 0123456789ab, Python 3.12.4") == Texts{"0123456789ab", "3.12.4", "", ""});
  CHECK(texts("kml: environment 0123456789ab\n") == Texts(4));
  CHECK(texts("kml: environment 0123456789ab cannot be used: x, Python y") == Texts(4));
  CHECK(texts("say kml: environment 0123456789ab, Python 3.12.4") == Texts(4));
}

TEST_CASE("packages: TOML that kml writes can be read back") {
  const Json table = {{"a b", {{"x", true}, {"l", {1, "q\"\n\x7f", {{"k", 1.5}}}}}}, {"none", nullptr}};
  const std::string text = packages::toml_text(table);
  CHECK(text == "\"a b\" = {\"l\" = [1, \"q\\\"\\n\\u007f\", {\"k\" = 1.5}], \"x\" = true}\n");
  CHECK(packages::read_toml(text, "f") == Json{{"a b", table["a b"]}});
}

TEST_CASE(
    "packages: uv checks a lock without a build backend and, without trust, without settings that need it") {
  const Json keys = {
      {"project", {{"name", "p"}}},
      {"build-system", {{"requires", {"evil"}}, {"build-backend", "evil"}, {"backend-path", {"."}}}},
      {"tool",
       {{"uv",
         {{"cache-dir", "/x"},
          {"exclude-newer", "2026"},
          {"sources", {{"a", {{"workspace", true}}}, {"b", {{"path", "b"}}}}}}},
        {"other", 1}}}};
  const Json stranger = packages::checkable(keys, false);
  CHECK(stranger["build-system"]["build-backend"] == "kml_never_builds");
  CHECK(stranger["tool"] ==
        Json{{"uv", {{"exclude-newer", "2026"}, {"sources", {{"a", {{"workspace", true}}}}}}}});
  const Json trusted = packages::checkable(keys, true);
  CHECK(trusted["build-system"]["requires"].empty());
  CHECK(trusted["tool"]["uv"] == keys["tool"]["uv"]);
  CHECK_FALSE(packages::checkable({{"project", {{"name", "p"}}}}, true).contains("build-system"));
}

TEST_CASE("packages: a member of a workspace uses the workspace's lock, with its settings and indexes") {
  const Folder f;
  fs::create_directories(f.temporary.path() / "lib/a");
  f.write("pyproject.toml",
          "[tool.uv.workspace]\nmembers = ['lib/*']\n[[tool.uv.index]]\nname='corp'\nurl='https://i'\n");
  f.write("uv.lock", "[[package]]\nname = \"a\"\nsource = { editable = \"lib/a\" }\n");
  f.write("lib/a/pyproject.toml", "[project]\nname = 'a'\nversion = '0'\ndependencies = ['x']\n");
  spec::Packages wanted;
  wanted.by_uv = true;
  const fs::path member = f.temporary.path() / "lib/a";
  const packages::Requested found = packages::requested_packages(wanted, {"true"}, member, member);
  CHECK(found.shown == "pyproject.toml");
  CHECK(found.lock.file == f.temporary.path() / "uv.lock");
  CHECK(found.lock.projects.size() == 2);
  CHECK(found.lock.unchecked == "");
  CHECK(found.indexes.more == Texts{"corp=https://i"});
  CHECK(Folder::powers_of(found) == Texts{"3: it sets index for uv"});
  f.write("uv.lock", "[[package]]\nname = \"b\"\nsource = { editable = \"lib/b\" }\n");
  CHECK_FALSE(packages::requested_packages(wanted, {"true"}, member, member).lock.exists());
}

TEST_CASE("packages: before uv runs, kml rejects a source that it cannot install") {
  const Folder f;
  const std::string project = "[project]\nname = 'p'\nversion = '0'\ndependencies = ['a']\n";
  f.write("pyproject.toml", project + "[tool.uv.sources]\na = {path = '../a'}\n");
  CHECK_THROWS_WITH_AS(f.uv({"true"}), "pyproject.toml takes a from a folder, and has no uv.lock", Error);
  f.write("pyproject.toml", project + "[tool.uv.sources]\na = {workspace = true}\n");
  CHECK_THROWS_WITH_AS(f.uv({"true"}), "pyproject.toml takes a from a folder, and has no uv.lock", Error);
  f.write("train.py", script("# dependencies = ['numpy']\n"));
  CHECK(f.requirements("x\n").notes.empty());
  spec::Packages wanted;
  wanted.requirements = f.temporary.path() / "requirements.txt";
  CHECK(packages::requested_packages(wanted, {"python", "train.py"}, f.temporary.path(), f.temporary.path())
            .notes ==
        Texts{"--requirements ignores the packages in the header of train.py; --uv installs those"});
}

TEST_CASE("packages: extras and groups must exist, and their lists may need trust") {
  const Folder f;
  f.write("pyproject.toml",
          "[project]\nname = 'p'\nversion = '0'\n[project.optional-dependencies]\ngpu = ['y @ https://h']\n"
          "[dependency-groups]\ndev = [{include-group = 'lint'}]\nlint = ['z @ https://h']\n");
  const auto with = [&](const char* extra, const char* group) {
    spec::Packages wanted;
    wanted.by_uv = true;
    if (*extra) wanted.extras = {extra};
    if (*group) wanted.groups = {group};
    return packages::requested_packages(wanted, {"true"}, f.temporary.path(), f.temporary.path());
  };
  CHECK(with("", "").powers.empty());
  CHECK(Folder::powers_of(with("gpu", "")) == Texts{"5: \"y @ https://h\" names where the package is"});
  CHECK(Folder::powers_of(with("", "dev")) == Texts{"8: \"z @ https://h\" names where the package is"});
  CHECK_THROWS_WITH_AS(with("cpu", ""), "pyproject.toml has no extra \"cpu\"", Error);
  CHECK_THROWS_WITH_AS(with("", "text"), "pyproject.toml has no group \"text\"", Error);
  f.write("train.py", script("# dependencies = []\n"));
  spec::Packages wanted;
  wanted.by_uv = true;
  wanted.extras = {"gpu"};
  CHECK_THROWS_WITH_AS(
      packages::requested_packages(wanted, {"python", "train.py"}, f.temporary.path(), f.temporary.path()),
      "--extra needs a pyproject.toml", Error);
}

TEST_CASE("packages: pods get the indexes of the files, with the passwords that uv's variables have") {
  EnvironmentVariable config{"XDG_CONFIG_HOME", "/nonexistent"}, home{"HOME", "/nonexistent"};
  EnvironmentVariable own{"UV_INDEX", "https://mine"}, password{"UV_INDEX_MY_CORP_PASSWORD", "p"},
      other{"UV_INDEX_OTHER_PASSWORD", "o"};
  EnvironmentVariable links{"UV_FIND_LINKS", ""}, first{"UV_DEFAULT_INDEX", ""};
  const Json uv = packages::read_toml(
      "find-links = ['w']\n[[index]]\nname = 'my-corp'\nurl = 'https://c'\n[[index]]\nname = 'd'\nurl = "
      "'https://d'\ndefault = true\n[[index]]\nurl = 'https://flat'\nformat = 'flat'\n",
      "f");
  Texts notes;
  const packages::Indexes indexes = packages::indexes_of_uv(uv, "/here");
  CHECK(packages::indexes_in(packages::json_of(indexes)).find_links == indexes.find_links);
  const Json here = packages::index_variables(indexes, true, notes);
  CHECK(notes.empty());
  CHECK(here == Json{{"UV_DEFAULT_INDEX", "d=https://d"},
                     {"UV_FIND_LINKS", "/here/w,https://flat"},
                     {"UV_INDEX", "https://mine my-corp=https://c"},
                     {"UV_INDEX_MY_CORP_PASSWORD", "p"},
                     {"UV_INDEX_STRATEGY", "unsafe-best-match"}});
  const Json there = packages::index_variables(indexes, false, notes);
  CHECK(there["UV_FIND_LINKS"] == "https://flat");
  CHECK(notes == Texts{"pods on a cluster do not have /here/w, where uv finds packages on this machine; "
                       "--env UV_FIND_LINKS=/PATH names a folder of the pods"});
  const packages::Indexes of_lines = packages::indexes_of_options(
      {"--index-url https://a", "--extra-index-url=https://b", "--find-links /w", "--pre"});
  CHECK(of_lines.first == "https://a");
  CHECK(of_lines.more == Texts{"https://b"});
  CHECK(of_lines.find_links == Texts{"/w"});
}

TEST_CASE(
    "packages: the versions in a lock are listed; several versions of one package are listed together") {
  const std::string lock =
      "numpy==1.26.4 ; python_version < '3.10' \\\n    --hash=sha256:aa==\nnumpy==2.1.0 ; python_version >= "
      "'3.10' \\\n"
      "    --hash=sha256:bb\ntorch==2.5.1\n# via x==3\njax[cuda]==0.4\n";
  CHECK(packages::versions_in(lock) ==
        std::map<std::string, std::string>{{"jax", "0.4"}, {"numpy", "1.26.4, 2.1.0"}, {"torch", "2.5.1"}});
}

}  // namespace requested_packages_test
