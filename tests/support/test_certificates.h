#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "support/temporary_folder.h"

namespace kml {

/// Certificates for tests, made once for each process with openssl. The authority "ca" signed "server" (for
/// 127.0.0.1 and kubernetes.test), "expired" (for 127.0.0.1, until yesterday), "nameless" (127.0.0.1 is only
/// its common name) and the clients "ana" and "bob". "stranger" is an authority that signed none of them.
class TestCertificates {
 public:
  static const TestCertificates& get();

  std::filesystem::path pem_path(const std::string& name) const;
  std::filesystem::path key_path(const std::string& name) const;
  std::string pem(const std::string& name) const;
  std::string key(const std::string& name) const;

 private:
  TestCertificates();
  void make(const std::string& name, const std::vector<std::string>& more);
  void make_leaf(const std::string& name, const std::string& names);
  void make_expired(const std::string& name, const std::string& names);

  TemporaryFolder folder_;
};

}  // namespace kml
