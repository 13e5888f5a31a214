#include <doctest/doctest.h>

#include <fstream>
#include <tuple>

#include "job/packages/lock.h"
#include "job/packages/lock_lines.h"
#include "kml/job/packages/locked.h"
#include "support/environment.h"
#include "support/temporary_folder.h"

namespace lock_lines_test {

using namespace kml;

TEST_CASE("packages: a lock's lines name packages of an index, at a URL, in a file or in a folder") {
  struct Row {
    const char *line, *name, *version, *place;
    bool is_for_linux = true;
  };
  for (const Row& row : {
           Row{"tiny==1.0 \\", "tiny", "1.0", ""},
           Row{"jax[cuda]==0.4", "jax", "0.4", ""},
           Row{"tiny==1.0 ; python_version < '3.10' \\", "tiny", "1.0", ""},
           Row{"tiny==1.0 ; sys_platform == 'win32' \\", "tiny", "1.0", "", false},
           Row{"tiny==1.0 ; sys_platform == 'win32' or os_name == 'posix' \\", "tiny", "1.0", ""},
           Row{"tiny==1.0 ; sys_platform == 'linux' and python_version < '3'", "tiny", "1.0", ""},
           Row{"tiny @ https://h/tiny-1.0-py3-none-any.whl \\", "tiny", "1.0",
               "https://h/tiny-1.0-py3-none-any.whl"},
           Row{"my-pkg[x] @ https://h/my_pkg-1.0%2Bcu1-py3-none-any.whl#sha256=aa ; python_version == '3.11'",
               "my-pkg", "1.0+cu1", "https://h/my_pkg-1.0%2Bcu1-py3-none-any.whl#sha256=aa"},
           Row{"tiny @ https://h/tiny.tar.gz?a==b \\", "tiny", "", "https://h/tiny.tar.gz?a==b"},
           Row{"tiny @ git+https://h/tiny@0123", "tiny", "", "git+https://h/tiny@0123"},
           Row{"./wheels/My_Pkg-1.0-py3-none-any.whl \\", "my-pkg", "1.0",
               "./wheels/My_Pkg-1.0-py3-none-any.whl"},
           Row{"../pk", "", "", "../pk"},
           Row{"-e /a/pk", "", "", "/a/pk"},
       }) {
    CAPTURE(row.line);
    const auto found =
        packages::python_packages_in(std::string("# a==1\n") + row.line + "\n    # via b==2\n");
    REQUIRE(found.size() == 1);
    CHECK(std::tie(found[0].name, found[0].version, found[0].place, found[0].is_for_linux) ==
          std::tuple<std::string, std::string, std::string, bool>(row.name, row.version, row.place,
                                                                  row.is_for_linux));
    CHECK_FALSE(found[0].has_hash);
  }
  const auto found =
      packages::python_packages_in("a==1 \\\n    --hash=sha256:aa\nb==1\nc==1 --hash=sha256:aa\n");
  REQUIRE(found.size() == 3);
  CHECK((found[0].has_hash && !found[1].has_hash && found[2].has_hash));
  CHECK(packages::python_packages_in("# kml note: x==1\n\n").empty());
}

TEST_CASE("packages: only paths of wheels in a lock become absolute") {
  const auto changed = [](const std::string& lock) { return packages::with_absolute_places(lock, "/f/g"); };
  CHECK(changed("./w/tiny-1.0-py3-none-any.whl \\\n    --hash=sha256:aa\n") ==
        "tiny @ file:///f/g/w/tiny-1.0-py3-none-any.whl \\\n    --hash=sha256:aa\n");
  CHECK(changed("../w/a_b-1.0+c-py3-none-any.whl ; python_version < '4'\n") ==
        "a-b @ file:///f/w/a_b-1.0%2Bc-py3-none-any.whl ; python_version < '4'\n");
  CHECK(changed("/w/tiny-1.0-py3-none-any.whl\n") == "tiny @ file:///w/tiny-1.0-py3-none-any.whl\n");
  for (const char* same :
       {"tiny==1.0 \\\n    --hash=sha256:aa\n", "tiny @ https://h/tiny-1.0-py3-none-any.whl\n", "./pk\n",
        "-e ./pk\n", "# ./w/tiny-1.0-py3-none-any.whl\n"})
    CHECK(changed(same) == same);
}

TEST_CASE("packages: the versions in a lock include packages at URLs, without those of other systems") {
  CHECK(packages::versions_in("tiny @ https://h/tiny-1.0-py3-none-any.whl \\\n    --hash=sha256:aa\n"
                              "far @ https://h/far.zip \\\n    --hash=sha256:aa\n"
                              "colorama==0.4 ; sys_platform == 'win32' \\\n    --hash=sha256:aa\n") ==
        std::map<std::string, std::string>{{"far", "https://h/far.zip"}, {"tiny", "1.0"}});
}

TEST_CASE("packages: a lock is made again if the user's settings for uv have changed") {
  const TemporaryFolder folder;
  const EnvironmentVariable state{"KML_STATE_DIR", folder.path().c_str()},
      config{"XDG_CONFIG_HOME", "/nonexistent"};
  packages::Requested requested;
  requested.kind = packages::Requested::Kind::requirements;
  requested.shown = "r.txt";
  int made = 0;
  const auto lock = [&] {
    return packages::lock_of(
        requested, "3.11", [&] { return "tiny==" + std::to_string(++made) + " \\\n    --hash=sha256:aa\n"; });
  };
  const std::string usual = lock();
  CHECK(lock() == usual);
  const std::string limits = folder.path() / "limits.txt";
  std::ofstream(limits) << "tiny<2\n";
  for (const auto& [name, value] : {std::pair<const char*, const char*>{"UV_RESOLUTION", "lowest"},
                                    {"UV_PRERELEASE", "allow"},
                                    {"UV_EXCLUDE_NEWER", "2026-01-01"},
                                    {"UV_CONSTRAINT", limits.c_str()},
                                    {"UV_CONFIG_FILE", limits.c_str()}}) {
    CAPTURE(name);
    const EnvironmentVariable setting{name, value};
    const std::string other = lock();
    CHECK(other != usual);
    CHECK(lock() == other);
  }
  const EnvironmentVariable constraint{"UV_CONSTRAINT", limits.c_str()};
  const std::string before = lock();
  std::ofstream(limits) << "tiny<3\n";
  CHECK(lock() != before);
}

}  // namespace lock_lines_test
