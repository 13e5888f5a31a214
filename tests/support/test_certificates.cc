#include "support/test_certificates.h"

#include <stdexcept>

#include "kml/core/files.h"
#include "kml/core/process.h"

namespace kml {

const TestCertificates& TestCertificates::get() {
  static const TestCertificates certificates;
  return certificates;
}

TestCertificates::TestCertificates() {
  make("ca", {});
  make("stranger", {});
  make_leaf("server", "IP:127.0.0.1,DNS:kubernetes.test");
  make_leaf("ana", "DNS:ana");
}

std::filesystem::path TestCertificates::pem_path(const std::string& name) const {
  return folder_.path() / (name + ".pem");
}

std::filesystem::path TestCertificates::key_path(const std::string& name) const {
  return folder_.path() / (name + ".key");
}

std::string TestCertificates::pem(const std::string& name) const {
  return read_file(pem_path(name));
}

std::string TestCertificates::key(const std::string& name) const {
  return read_file(key_path(name));
}

void TestCertificates::make(const std::string& name, const std::vector<std::string>& more) {
  std::vector<std::string> argv = {
      "openssl", "req",         "-x509", "-newkey", "ec",          "-pkeyopt", "ec_paramgen_curve:prime256v1",
      "-noenc",  "-days",       "2",     "-subj",   "/CN=" + name, "-keyout",  key_path(name),
      "-out",    pem_path(name)};
  argv.insert(argv.end(), more.begin(), more.end());
  if (run_process(argv).exit_code != 0) throw std::runtime_error("openssl cannot make " + name);
}

void TestCertificates::make_leaf(const std::string& name, const std::string& names) {
  make(name, {"-CA", pem_path("ca"), "-CAkey", key_path("ca"), "-addext", "subjectAltName=" + names,
              "-addext", "basicConstraints=critical,CA:FALSE"});
}

}  // namespace kml
