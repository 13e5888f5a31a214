#include <doctest/doctest.h>

#include <fstream>

#include "job/packages/indexes.h"
#include "support/environment.h"
#include "support/temporary_folder.h"

namespace indexes_test {

using namespace kml;

TEST_CASE("packages: kml says which logins of .netrc the pods of a cluster lack") {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "logins";
  std::ofstream(file) << "machine h\n login ana\n password machine\nmachine  other login x password y\n";
  const EnvironmentVariable netrc{"NETRC", file.c_str()}, home{"HOME", "/nonexistent"},
      config{"XDG_CONFIG_HOME", "/nonexistent"}, password{"UV_INDEX_CORP_PASSWORD", "p"};
  struct Row {
    const char *index, *host;  ///< no host: no note
  };
  for (const Row& row : {Row{"https://h/simple", "h"}, Row{"https://h:8443/simple", "h:8443"},
                         Row{"mine=https://other/simple", "other"}, Row{"corp=https://h/simple", ""},
                         Row{"https://ana:p@h/simple", ""}, Row{"https://third/simple", ""},
                         Row{"https://login/simple", ""}, Row{"/srv/index", ""}}) {
    CAPTURE(row.index);
    const EnvironmentVariable own{"UV_DEFAULT_INDEX", row.index};
    std::vector<std::string> notes;
    packages::index_variables({}, true, notes);
    CHECK(notes.empty());
    packages::index_variables({}, false, notes);
    REQUIRE(notes.size() == (*row.host ? 1 : 0));
    if (*row.host)
      CHECK(notes[0].starts_with("pods on a cluster do not have the login for " + std::string(row.host) +
                                 " in " + file + ";"));
  }
}

}  // namespace indexes_test
