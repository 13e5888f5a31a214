#include "kube/credentials/token_file.h"

#include <doctest/doctest.h>

#include "kml/core/error.h"
#include "kml/core/files.h"
#include "support/temporary_folder.h"

using namespace kml;

TEST_CASE("token_file: is read again after a minute or a refusal, and the last good token stays") {
  TemporaryFolder folder;
  const auto path = folder.path() / "token";
  std::chrono::steady_clock::time_point now{std::chrono::hours(1)};
  kube::TokenFile file(path, [&] { return now; });
  CHECK_THROWS_AS(file.token(), Error);
  write_file_atomically(path, " \n");
  CHECK_THROWS_AS(file.token(), Error);

  write_file_atomically(path, " one\n");
  CHECK(file.token() == "one");
  write_file_atomically(path, "two");
  CHECK(file.token() == "one");
  now += std::chrono::seconds(50);
  CHECK(file.token() == "two");

  write_file_atomically(path, "");
  now += std::chrono::seconds(50);
  CHECK(file.token() == "two");
  file.drop();
  CHECK_THROWS_AS(file.token(), Error);
  write_file_atomically(path, "three");
  CHECK(file.token() == "three");
}
