#include "pod/commands/copy_side.h"

#include <doctest/doctest.h>

namespace copy_side_test {

using kml::cli::CopySide;
using kml::cli::parse_copy_side;

TEST_CASE("cp: a path is recognized as being in a pod, on a claim, or on this machine") {
  const auto parsed = [](const char* text) {
    const CopySide side = parse_copy_side(text);
    return std::string(side.is_here()                     ? "here"
                       : side.kind == CopySide::Kind::job ? "job"
                                                          : "claim") +
           " " + side.name + " " + side.path;
  };
  CHECK(parsed("bert:/out") == "job bert /out");
  CHECK(parsed("bert/3:a:b") == "job bert/3 a:b");
  CHECK(parsed("pytorchjob/bert/worker-1:") == "job pytorchjob/bert/worker-1 ");
  CHECK(parsed("@:x") == "job @ x");
  CHECK(parsed("pvc/runs") == "claim runs ");
  CHECK(parsed("pvc/runs/a/b") == "claim runs a/b");
  CHECK(parsed("pvc/runs/a:b") == "claim runs a:b");
  for (const char* here : {".", "..", "./a:b", "/a:b", "~/a:b", "a", "a/b", "Log:12", "my file:x", ""})
    CHECK(parsed(here) == std::string("here  ") + here);
}

}  // namespace copy_side_test
