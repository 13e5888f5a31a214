#include <doctest/doctest.h>

#include <fstream>

#include "job/packages/requested.h"
#include "job/packages/script_header.h"
#include "job/packages/toml.h"
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

TEST_CASE("packages: TOML is read with its strings, lists, tables and comments") {
  const Json toml = packages::read_toml(
      "a = \"x\\u00e9\\n\\\"\" # c\nb.c = 'C:\\d'\n\"d e\" = [ 'x', # one\n  \"y\",\n]\n[t.u]\nn = 1_000\r\n"
      "m = \"\"\"\nfirst \\\n   second\"\"\"\nl = '''a'b'''\n[[r]]\nk = true\n[[r]]\nk = {v = [1, 'q']}\n",
      "f");
  CHECK(toml == Json{{"a", "x\u00e9\n\""},
                     {"b", {{"c", "C:\\d"}}},
                     {"d e", {"x", "y"}},
                     {"t", {{"u", {{"n", "1000"}, {"m", "first second"}, {"l", "a'b"}}}}},
                     {"r", {{{"k", "true"}}, {{"k", {{"v", {"1", "q"}}}}}}}});
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

TEST_CASE("packages: a script's header is that of PEP 723") {
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

TEST_CASE("packages: a setting that makes uv use other sources needs trust, in each kind of file") {
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
  CHECK(f.uv().indexes == Texts{"http://i"});
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

TEST_CASE("packages: included requirements and constraints are read, even if files include each other") {
  const Folder f;
  f.write("more.txt", "b\n-c limits.txt\n");
  f.write("limits.txt", "c<2\n");
  const packages::Requested found = f.requirements("a\n-r more.txt\n--constraint=limits.txt\n");
  CHECK(found.powers.empty());
  CHECK(found.requirements == Texts{"a", "b"});
  CHECK(found.constraints == Texts{"c<2"});
  CHECK(f.requirements("a\n-r requirements.txt\n--require-hashes\n").requirements == Texts{"a"});
}

TEST_CASE("packages: for a script, the user trusts only its header; for any other file, the whole text") {
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

TEST_CASE("packages: the version of Python is in a line of the log") {
  CHECK(packages::python_in("kml: environment 0123456789ab, Python 3.12.4") == "3.12.4");
  CHECK(packages::python_in("kml: environment 0123456789ab\n") == "");
  CHECK(packages::python_in("say kml: environment 0123456789ab, Python 3.12.4") == "");
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
