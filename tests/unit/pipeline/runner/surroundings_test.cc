#include "pipeline/runner/surroundings.h"

#include <doctest/doctest.h>

#include <cstdlib>

#include "kml/base/files.h"
#include "kml/base/text.h"
#include "pipeline/file/parse_pipeline.h"
#include "pipeline/trees/stamps.h"
#include "support/temporary_folder.h"

namespace kml::pipeline::surroundings_test {

namespace fs = std::filesystem;

/// A folder with a pipeline's code in `p`, and other folders beside it.
struct Tested {
  TemporaryFolder folder;
  LocalStore store{folder.path() / "store"};
  std::string step = "{command: [sh, -c, ./run.sh]}";
  StepSurroundings surroundings{store, code() / "p.yaml", {}, {}};

  Tested() {
    write("p/train.py", "1");
    write("out.txt", "1");
    write("lib/a/b.py", "1");
    wait_for_file_clock();
  }

  fs::path code() const { return folder.path() / "p"; }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder.path() / name).parent_path());
    write_file_atomically(folder.path() / name, text, 0644);
  }
  void link(const std::string& target, const std::string& name) const {
    fs::create_directory_symlink(target, code() / name);
  }
  KeyParts parts() {
    const Pipeline pipeline = parse_pipeline(
        "apiVersion: kml.dev/v1\nkind: Pipeline\nmetadata: {name: p}\nspec: {steps: {a: " + step + "}}\n",
        "p.yaml");
    return surroundings.of(pipeline.steps[0]);
  }
  /// What kml reports after a change, such as "conf.sh changed".
  std::string changed_by(const std::function<void()>& change) {
    const KeyParts before = parts();
    change();
    std::string text;
    for (const std::string& one :
         changes(before, parts(), [&](const std::string& digest) { return store.find_list(digest); }))
      text += (text.empty() ? "" : ", ") + one;
    return text;
  }
};

/// Sets a variable, or removes it, as long as this object exists.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    set(value);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { set(old_ ? old_->c_str() : nullptr); }

  void set(const char* value) const {
    if (value)
      ::setenv(name_, value, 1);
    else
      ::unsetenv(name_);
  }

 private:
  const char* name_;
  std::optional<std::string> old_;
};

TEST_CASE("surroundings: each call sees the files' current state") {
  Tested tested;
  CHECK(tested.changed_by([] {}).empty());
  CHECK(tested.changed_by([&] { tested.write("p/train.py", "2"); }) == "train.py changed");
  CHECK(tested.changed_by([&] { tested.write("p/sub/new.py", "2"); }) == "sub/new.py added");
  CHECK(tested.changed_by([&] { fs::remove(tested.code() / "sub/new.py"); }) == "sub/new.py removed");
  CHECK(tested.changed_by([&] { tested.write("p/__pycache__/a.pyc", "2"); }).empty());
  CHECK(tested.changed_by([&] { tested.write("p/p.yaml", "2"); }).empty());
  tested.step = "{command: [cat, ../out.txt]}";
  CHECK(tested.changed_by([&] { tested.write("out.txt", "2"); }) == "../out.txt changed");
}

TEST_CASE("surroundings: links that lead out of the code are followed") {
  for (const char* step :
       {"{command: [sh, -c, ./run.sh]}",
        "{command: [sh, -c, ./run.sh], code: {paths: [data.csv, lib, chain, loop, none]}}"}) {
    CAPTURE(step);
    Tested tested;
    tested.step = step;
    tested.link("../out.txt", "data.csv");
    tested.link("../lib", "lib");
    tested.link("../second", "chain");
    tested.link("..", "loop");
    tested.link("missing", "none");
    fs::create_symlink("out.txt", tested.folder.path() / "second");
    CHECK(tested.changed_by([&] { tested.write("out.txt", "2"); }) == "chain changed, data.csv changed");
    CHECK(tested.changed_by([&] { tested.write("lib/a/b.py", "2"); }) == "lib changed");
    CHECK(tested.changed_by([&] { tested.write("lib/new.py", "2"); }) == "lib changed");
    CHECK(tested.changed_by([&] { tested.write("other.txt", "2"); }).empty());
  }
}

TEST_CASE("surroundings: a link to a file that code.paths leaves out is followed") {
  Tested tested;
  tested.step = "{command: [sh, -c, ./run.sh], code: {paths: [current]}}";
  tested.link("train.py", "current");
  CHECK(tested.changed_by([&] { tested.write("p/train.py", "2"); }) == "current changed");
}

TEST_CASE("surroundings: include what Python imports") {
  const std::string path = std::getenv("PATH");
  for (const char* step : {"{command: [python3, train.py]}", "{command: [sh, -c, python3 train.py]}",
                           "{command: [./train.py]}", "{command: [sh, run.sh]}"}) {
    CAPTURE(step);
    Tested tested;
    const Variable none("VIRTUAL_ENV", nullptr), no_path("PYTHONPATH", nullptr),
        no_conda("CONDA_PREFIX", nullptr);
    tested.step = step;
    tested.write("p/train.py", "#!/usr/bin/env python3\n");
    tested.write("p/run.sh", "exec python3 train.py\n");
    const std::string site = "/lib/python3.11/site-packages/";
    for (const std::string venv : {"v1", "v2"}) {
      tested.write(venv + "/pyvenv.cfg", "home = /usr/bin\n");
      tested.write(venv + "/bin/python3", "program");
      fs::permissions(tested.folder.path() / venv / "bin/python3", fs::perms::owner_all);
      tested.write(venv + site + "numpy-1.2.dist-info/METADATA", "");
      tested.write(venv + site + "pkgx.py", venv);
      tested.write(venv + site + "pack/__init__.py", "");
      tested.write(venv + site + "in_place.pth", (tested.folder.path() / "lib").string() + "\n");
    }
    const auto of = [&](const std::string& venv) {
      return (tested.folder.path() / venv / "bin").string() + ":" + path;
    };
    const Variable with_venv("PATH", of("v1").c_str());
    wait_for_file_clock();
    CHECK(contains(tested.changed_by([&] { with_venv.set(of("v2").c_str()); }), "pkgx.py changed"));
    CHECK(contains(tested.changed_by([&] { none.set("/v2"); }), "variable VIRTUAL_ENV added"));
    CHECK(tested.changed_by([] {}).empty());
    CHECK(tested.changed_by([&] { tested.write("v2" + site + "pkgx.py", "7"); }) == "pkgx.py changed");
    CHECK(tested.changed_by([&] { tested.write("v2" + site + "pack/__init__.py", "7"); }) ==
          "pack/__init__.py changed");
    CHECK(tested.changed_by([&] { tested.write("v2" + site + "pandas-2.0.dist-info/METADATA", ""); }) ==
          "pandas added");
    CHECK(tested.changed_by([&] { tested.write("v2" + site + "pack/__pycache__/a.pyc", ""); }).empty());
    CHECK(contains(tested.changed_by([&] { tested.write("lib/a/b.py", "7"); }), "lib/a/b.py changed"));
    tested.write("more/m.py", "1");
    CHECK(contains(tested.changed_by([&] { no_path.set((tested.folder.path() / "more").c_str()); }),
                   "variable PYTHONPATH added"));
    CHECK(contains(tested.changed_by([&] { tested.write("more/m.py", "2"); }), "more/m.py changed"));
  }
}

TEST_CASE("surroundings: for a command that does not run Python, Python's packages are ignored") {
  Tested tested;
  const Variable none("VIRTUAL_ENV", nullptr), no_path("PYTHONPATH", nullptr),
      no_conda("CONDA_PREFIX", nullptr), no_home("PYTHONHOME", nullptr);
  CHECK(!tested.parts().contains("packages"));
}

}  // namespace kml::pipeline::surroundings_test
