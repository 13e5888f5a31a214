#include <doctest/doctest.h>

#include "kml/base/system_calls.h"

TEST_CASE("is_on_local_disk: memory is local, what is not known is not") {
  struct Row {
    const char* folder;
    bool is_local;
  };
  for (const auto& [folder, is_local] : {Row{"/dev/shm", true}, {"/proc", false}, {"/nowhere", false}}) {
    CAPTURE(folder);
    CHECK(kml::is_on_local_disk(folder) == is_local);
  }
}
