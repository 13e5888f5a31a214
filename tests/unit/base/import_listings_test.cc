#include "kml/base/import_listings.h"

#include <doctest/doctest.h>

#include "kml/base/text.h"

namespace kml::import_listings_test {

/// Calls of one thread: "stat PATH", or "list PATH" for open and getdents. Each "write" is a change of /c.
struct Calls {
  ImportListings imports;
  FolderTime time = {};
  std::optional<bool> is_of_imports = {};  ///< the first outcome for /c; empty if there is none

  void take(const std::optional<ImportListings::Outcome>& outcome) {
    if (outcome && outcome->folder == "/c" && is_of_imports.value_or(true))
      is_of_imports = outcome->is_of_imports;
  }

  void make(const std::string& calls) {
    const std::vector<std::string> path = {"/c", "/later"};
    for (const std::string& call : split(calls, ';')) {
      const std::string name(
          trim(call.substr(call.find('/') == std::string::npos ? call.size() : call.find('/'))));
      if (contains(call, "write")) {
        ++time.seconds;
      } else if (contains(call, "stat")) {
        take(imports.look(1, name));
      } else {
        take(imports.open(1, name, time));
        if (!imports.list(1, name, name, [&] { return path; }) && name == "/c") is_of_imports = false;
      }
    }
    for (const std::string& folder : imports.rest())
      if (folder == "/c") is_of_imports = false;
  }
};

const std::string kSearch = "stat /c;stat /c;stat /c;list /c;", kOwn = "stat /c;list /c;",
                  kModule = "stat /c/m.py;stat /c/m.py;stat /c/__pycache__/m.cpython-311.pyc;",
                  kPackage = "stat /c/p/__init__.cpython-311-x86_64-linux-gnu.so;",
                  kLibrary = "stat /usr/lib/python3.11;", kWave = "stat /usr/lib/python3.11/wave.py;",
                  kMetadata = "stat /usr/lib/python3.11/importlib/metadata/__init__.py;";

TEST_CASE(
    "import listings: a listing is Python's only if all calls around it belong to a search for modules") {
  struct Row {
    std::string what, calls;
    bool is_of_imports;
  };
  const std::string searched = kSearch + kModule;
  const Row rows[] = {
      {"a module", kSearch + kModule, true},
      {"a package", kSearch + kPackage, true},
      {"an extension", kSearch + "stat /c/x.cpython-311-x86_64-linux-gnu.so;", true},
      {"a library", kSearch + kLibrary + kWave, true},
      {"a library in an archive, searched first",
       kSearch + "stat /usr/lib/python311.zip;stat /usr/lib/python311.zip;" + kLibrary + kLibrary + kLibrary +
           "list /usr/lib/python3.11;" + kWave,
       true},
      {"a library of a virtual environment",
       kSearch + kLibrary + "stat /v/lib/python3.11/site-packages;stat /x;", true},
      {"a later folder of PYTHONPATH", kSearch + "stat /later;stat /later/m.py;", true},
      {"a module that is missing, at the end", kSearch + kLibrary, true},
      {"a library after a change", searched + "write;" + kOwn + kLibrary + kWave, true},
      {"a module after a change", searched + "write;" + kOwn + kModule, true},
      {"versions of packages",
       searched + kMetadata + kOwn + "stat /usr/lib/python311.zip;list /usr/lib/python311.zip;", true},

      {"nothing after it", kSearch, false},
      {"another folder after it", kSearch + "list /d;", false},
      {"a file after it", kSearch + "stat /c/a.csv;", false},
      {"a look-up of a program that is named like a library", kSearch + "stat /usr/bin/python3;", false},
      {"a look-up of a version of Python", kSearch + "stat /usr/bin/python3.11;", false},
      {"a package as a program looks for it", kSearch + "stat /c/p/__init__.py;", false},
      {"a file in a package", kSearch + "stat /c/p/q/__init__.cpython-311-x86_64-linux-gnu.so;", false},
      {"a module, which is read", kSearch + "stat /c/m.py;stat /c/n.csv;", false},
      {"a module that a program loads by its path",
       kSearch + "stat /c/m.py;stat /c/__pycache__/m.cpython-311.pyc;", false},
      {"other cached code", kSearch + "stat /c/m.py;stat /c/m.py;stat /c/__pycache__/n.cpython-311.pyc;",
       false},
      {"a search that begins after it", kSearch + "stat /c;" + kLibrary + kWave, false},
      {"only one test before it", kOwn + kLibrary + kWave, false},
      {"a module after only one test", kOwn + kModule, false},
      {"no change since the search", searched + kOwn + kLibrary + kWave, false},
      {"a change, and only a test of the library", searched + "write;" + kOwn + kLibrary + "stat /x;", false},
      {"a loop over sys.path", searched + "write;" + kOwn + kLibrary + "list /usr/lib/python3.11;", false},
      {"another folder of modules before it",
       "stat /later;stat /later;stat /later;list /later;stat /c;stat /later/m.py;" + kOwn, false},
      {"something between the test and the listing", "stat /c;stat /c;stat /c;stat /x;list /c;" + kLibrary,
       false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    Calls calls;
    calls.make(row.calls);
    CHECK(calls.is_of_imports.value_or(true) == row.is_of_imports);
  }
}

TEST_CASE(
    "import listings: a listing of a folder outside sys.path is only Python's if Python looks for a module "
    "in that folder") {
  for (const auto& [next, is_of_imports] :
       {std::pair(kLibrary + kWave, false), {kModule, true}, {kPackage, true}}) {
    CAPTURE(next);
    Calls calls;
    for (int i = 0; i < 3; ++i) calls.imports.look(1, "/d");
    calls.imports.open(1, "/d", {});
    CHECK(calls.imports.list(1, "/d", "/d", [] { return std::vector<std::string>{"/c"}; }));
    std::optional<ImportListings::Outcome> outcome;
    for (std::string call : split(next, ';')) {
      if (call.empty()) continue;
      if (const size_t at = call.find("/c/"); at != std::string::npos) call.replace(at, 3, "/d/");
      if (auto found = calls.imports.look(1, call.substr(call.find('/')))) outcome = found;
    }
    REQUIRE(outcome);
    CHECK(outcome->is_of_imports == is_of_imports);
  }
}

TEST_CASE("import listings: the calls of other threads do not matter") {
  ImportListings imports;
  for (int i = 0; i < 3; ++i) imports.look(1, "/c");
  imports.open(1, "/c", {});
  CHECK(imports.list(1, "/c", ".", [] { return std::vector<std::string>{"/c"}; }));
  CHECK_FALSE(imports.look(2, "/c/a.csv"));
  CHECK_FALSE(imports.list(2, "/c", ".", [] { return std::vector<std::string>{"/c"}; }));
  CHECK(imports.rest() == std::vector<std::string>{"."});
}

}  // namespace kml::import_listings_test
