#include <doctest/doctest.h>

#include <fstream>

#include "job/packages/requested.h"
#include "support/environment.h"
#include "support/settings.h"
#include "support/temporary_folder.h"

namespace project_request_test {

using namespace kml;
using Texts = std::vector<std::string>;

namespace {

constexpr const char* kProject = "[project]\nname = 'My.Pkg'\nversion = '0'\n";

/// The request of --uv in a folder with this pyproject.toml, or of a script with this header.
struct Project {
  TemporaryFolder temporary;
  EnvironmentVariable state{"KML_STATE_DIR", (temporary.path() / "state").c_str()};

  packages::Requested read(const std::string& toml, const Texts& extras = {},
                           const Texts& groups = {}) const {
    std::ofstream(temporary.path() / "pyproject.toml") << toml;
    spec::Packages wanted;
    wanted.by_uv = true;
    wanted.extras = extras;
    wanted.groups = groups;
    return packages::requested_packages(wanted, {"true"}, temporary.path(), temporary.path());
  }

  packages::Requested read_script(const std::string& header) const {
    std::ofstream(temporary.path() / "s.py") << "# /// script\n" + header + "# ///\n";
    spec::Packages wanted;
    wanted.by_uv = true;
    return packages::requested_packages(wanted, {"python", "s.py"}, temporary.path(), temporary.path());
  }
};

}  // namespace

TEST_CASE("packages: a list of packages must be a list of strings, and requires-python a string") {
  const Project project;
  struct Row {
    const char *toml, *where;
    Texts extras, groups;
  };
  const Row rows[] = {
      {"dependencies = 'a'\n", "pyproject.toml:4:", {}, {}},
      {"dependencies = ['a', 1]\n", "pyproject.toml:4:", {}, {}},
      {"dependencies = [{a = 'b'}]\n", "pyproject.toml:4:", {}, {}},
      {"requires-python = 3\n", "pyproject.toml:4:", {}, {}},
      {"[project.optional-dependencies]\nx = 'a'\n", "pyproject.toml:5:", {"x"}, {}},
      {"[dependency-groups]\nx = 'a'\n", "pyproject.toml:5:", {}, {"x"}},
      {"[dependency-groups]\nx = [1]\n", "pyproject.toml:5:", {}, {"x"}},
      {"[tool.uv]\nconstraint-dependencies = 'a'\n", "pyproject.toml:5:", {}, {}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.toml);
    const Texts found =
        problems_of([&] { project.read(kProject + std::string(row.toml), row.extras, row.groups); });
    REQUIRE(found.size() == 1);
    CHECK(found[0].starts_with(row.where));
    CHECK(found[0].find("it is not a ") != std::string::npos);
  }
  CHECK(problems_of([&] { project.read_script("# dependencies = 'a'\n"); }).size() == 1);
}

TEST_CASE("packages: a pyproject.toml without a [project] table lists no packages") {
  const Project project;
  const std::pair<const char*, const char*> rows[] = {
      {"", "in that table"},
      {"[tool.ruff]\nline-length = 100\n", "in that table"},
      {"[build-system]\nrequires = ['setuptools']\n", "in that table"},
      {"[tool.poetry]\nname = 'p'\n[tool.poetry.dependencies]\nnumpy = '^2'\n", "[tool.poetry]"},
      {"[tool.uv.workspace]\nmembers = ['a']\n", "without a uv.lock"},
  };
  for (const auto& [toml, why] : rows) {
    CAPTURE(toml);
    try {
      project.read(toml);
      FAIL("accepted");
    } catch (const Error& error) {
      CHECK(error.message == "pyproject.toml has no [project] table");
      CHECK(error.why.find(why) != std::string::npos);
      CHECK(!error.fix.empty());
    }
  }
  CHECK_NOTHROW(project.read("[dependency-groups]\nx = ['a']\n", {}, {"x"}));
  CHECK_NOTHROW(project.read("[dependency-groups]\nx = ['a']\n[tool.uv]\ndefault-groups = ['x']\n"));
}

TEST_CASE("packages: all lists that uv would use are searched for sources that need trust") {
  const Project project;
  struct Row {
    const char* lists;
    Texts extras, groups;
    size_t powers;
  };
  const Row rows[] = {
      {"[project.optional-dependencies]\nall = ['my-pkg[gpu, cpu]']\nGPU = ['a @ https://h']\ncpu = ['b @ "
       "https://h']\n",
       {"all"},
       {},
       2},
      {"[project.optional-dependencies]\nall = ['MY_PKG [all,gpu]']\ngpu = ['a @ https://h']\n",
       {"all"},
       {},
       1},
      {"[project.optional-dependencies]\nall = ['other[gpu]']\ngpu = ['a @ https://h']\n", {"all"}, {}, 0},
      {"[project.optional-dependencies]\nMy_GPU = ['a @ https://h']\n", {"my-gpu"}, {}, 1},
      {"[dependency-groups]\nx = [{include-group = 'my-group'}]\nMy_Group = ['a @ https://h']\n",
       {},
       {"x"},
       1},
      {"[dependency-groups]\nx = ['my.pkg[gpu]']\n[project.optional-dependencies]\ngpu = ['a @ https://h']\n",
       {},
       {"X"},
       1},
      {"[dependency-groups]\nx = ['a @ https://h']\n[tool.uv]\ndefault-groups = ['x']\n", {}, {}, 1},
      {"[dependency-groups]\nx = ['a @ https://h']\n[tool.uv]\ndefault-groups = 'all'\n", {}, {}, 1},
      {"[dependency-groups]\ndev = ['a @ https://h']\n[tool.uv]\ndefault-groups = 'all'\n", {}, {}, 0},
  };
  for (const Row& row : rows) {
    CAPTURE(row.lists);
    CHECK(project.read(kProject + std::string(row.lists), row.extras, row.groups).powers.size() ==
          row.powers);
  }
}

TEST_CASE("packages: kml says which settings for uv it ignores") {
  const Project project;
  const std::string toml = kProject + std::string("dependencies = ['a']\n[tool.uv]\nresolution = 'lowest'\n");
  CHECK(project.read(toml).notes.empty());
  CHECK(project.read(toml + "no-binary = true\n").notes ==
        Texts{"kml ignores no-binary in [tool.uv] of pyproject.toml"});
  CHECK(
      project.read_script("# dependencies = ['a']\n# [tool.uv]\n# index-strategy = 'first-index'\n").notes ==
      Texts{"kml ignores index-strategy in [tool.uv] of s.py"});
  // If a file sets an index, it needs trust, and uv then reads all of its settings.
  CHECK(project.read(toml + "no-binary = true\nindex-url = 'https://h'\n").notes.empty());
}

}  // namespace project_request_test
