#include "kml/net/http/authorities.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "kml/base/files.h"
#include "support/temporary_folder.h"

namespace authorities_test {

using kml::TemporaryFolder;
using kml::http::system_authorities;

TEST_CASE("authorities: the system's file of CA certificates is found in the places that distributions use") {
  const TemporaryFolder root;
  CHECK(system_authorities(root.path()).empty());
  for (const char* file :
       {"etc/ssl/cert.pem", "etc/pki/tls/certs/ca-bundle.crt", "etc/ssl/certs/ca-certificates.crt"}) {
    std::filesystem::create_directories((root.path() / file).parent_path());
    kml::write_file_atomically(root.path() / file, "");
    CHECK(system_authorities(root.path()) == root.path() / file);
  }
}

}  // namespace authorities_test
