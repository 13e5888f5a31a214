#include "kube/kubeconfig/credentials.h"

#include <doctest/doctest.h>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "support/temporary_folder.h"

namespace renewed_file_test {

using namespace kml;

TEST_CASE(
    "renewed_file: a token is read again after 50 s or a rejection; without a rejection, the last good token "
    "stays") {
  TemporaryFolder folder;
  const auto path = folder.path() / "token";
  std::chrono::steady_clock::time_point now{std::chrono::hours(1)};
  kube::RenewedFile file(path, kube::RenewedFile::Content::token, [&] { return now; });
  CHECK_THROWS_AS(file.text(), Error);
  write_file_atomically(path, " \n");
  CHECK_THROWS_AS(file.text(), Error);

  write_file_atomically(path, " one\n");
  CHECK(file.text() == "one");
  write_file_atomically(path, "two");
  CHECK(file.text() == "one");
  now += std::chrono::seconds(50);
  CHECK(file.text() == "two");

  write_file_atomically(path, "");
  now += std::chrono::seconds(50);
  CHECK(file.text() == "two");
  file.drop();
  CHECK_THROWS_AS(file.text(), Error);
  write_file_atomically(path, "three");
  CHECK(file.text() == "three");
}

TEST_CASE("renewed_file: an incomplete PEM file is not used") {
  TemporaryFolder folder;
  const auto path = folder.path() / "ca.crt";
  std::chrono::steady_clock::time_point now{std::chrono::hours(1)};
  kube::RenewedFile file(path, kube::RenewedFile::Content::pem, [&] { return now; });
  write_file_atomically(path, "-----BEGIN old\n");
  CHECK(file.text() == "-----BEGIN old\n");
  now += std::chrono::minutes(1);
  write_file_atomically(path, "-----BE");
  CHECK(file.text() == "-----BEGIN old\n");
  write_file_atomically(path, "-----BEGIN new\n");
  CHECK(file.text() == "-----BEGIN new\n");
}

}  // namespace renewed_file_test
