#include "support/test_certificates.h"

#include <stdexcept>

#include "kml/base/files.h"
#include "kml/base/process.h"

namespace kml {

const TestCertificates& TestCertificates::get() {
  static const TestCertificates certificates;
  return certificates;
}

TestCertificates::TestCertificates() {
  make("ca", {});
  make("stranger", {});
  make_leaf("server", "IP:127.0.0.1,DNS:kubernetes.test");
  make("nameless", {"-subj", "/CN=127.0.0.1", "-CA", pem_path("ca"), "-CAkey", key_path("ca"), "-addext",
                    "basicConstraints=critical,CA:FALSE"});
  make_leaf("ana", "DNS:ana");
  make_leaf("bob", "DNS:bob");
  make_expired("expired", "IP:127.0.0.1");
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

/// `openssl req` cannot make an expired certificate, but `openssl x509` can.
void TestCertificates::make_expired(const std::string& name, const std::string& names) {
  const std::string asked = folder_.path() / (name + ".csr");
  const std::vector<std::string> steps[] = {
      {"openssl", "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc",
       "-subj", "/CN=" + name, "-addext", "subjectAltName=" + names, "-keyout", key_path(name), "-out",
       asked},
      {"openssl", "x509", "-req", "-in", asked, "-CA", pem_path("ca"), "-CAkey", key_path("ca"), "-days",
       "-1", "-copy_extensions", "copy", "-out", pem_path(name)}};
  for (const auto& argv : steps)
    if (run_process(argv).exit_code != 0) throw std::runtime_error("openssl cannot make " + name);
}

}  // namespace kml
