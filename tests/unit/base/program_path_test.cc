#include "kml/base/program_path.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <fstream>

#include "support/temporary_folder.h"

namespace program_path_test {

using namespace kml;
namespace fs = std::filesystem;

TEST_CASE(
    "program_path: a program is found as execvp(3) finds it; without a folder, relative parts of PATH are "
    "left out") {
  const TemporaryFolder temporary;
  const fs::path root = temporary.path();
  for (const char* file : {"a/tool", "b/tool", "b/plain", "here/own/tool"}) {
    fs::create_directories((root / file).parent_path());
    std::ofstream(root / file) << "x";
    ::chmod((root / file).c_str(), std::string(file) == "b/plain" ? 0644 : 0755);
  }
  fs::create_directories(root / "a/folder");
  const std::string a = root / "a", b = root / "b";
  struct Row {
    std::string program, search, folder, found;
  };
  for (const Row& row : {Row{"tool", a + ":" + b, "", a + "/tool"}, Row{"tool", b + ":" + a, "", b + "/tool"},
                         Row{"tool", root / "none", "", ""}, Row{"plain", a + ":" + b, "", ""},
                         Row{"folder", a, "", ""}, Row{"tool", fs::relative(a), "", ""},
                         Row{"tool", "", "", ""}, Row{"tool", "own:" + a, "", a + "/tool"},
                         Row{"tool", "own:" + a, root / "here", root / "here/own/tool"},
                         Row{"own/tool", a, root / "here", root / "here/own/tool"},
                         Row{b + "/tool", "", "", b + "/tool"}, Row{b + "/plain", "", "", ""}}) {
    CAPTURE(row.program);
    CAPTURE(row.search);
    CHECK(find_program(row.program, row.search, row.folder) == row.found);
  }
}

}  // namespace program_path_test
