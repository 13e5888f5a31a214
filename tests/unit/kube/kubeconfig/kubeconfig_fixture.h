#pragma once

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "kml/base/files.h"
#include "kml/kube/kubeconfig/kubeconfig.h"
#include "support/environment.h"
#include "support/temporary_folder.h"

namespace kubeconfig_test {

using namespace kml;
using namespace kml::kube;

inline const std::string kPem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

inline std::string kubeconfig(const std::string& name, const std::string& cluster = "",
                              const std::string& user = "token: t") {
  return "current-context: " + name + "\ncontexts:\n- {name: " + name + ", context: {cluster: " + name +
         ", user: " + name + "}}\nclusters:\n- {name: " + name + ", cluster: {server: 'https://" + name +
         "'" + cluster + "}}\nusers:\n- {name: " + name + ", user: {" + user + "}}\n";
}

/// A new home folder, and no kubeconfig in the environment.
struct Fixture {
  TemporaryFolder folder;
  EnvironmentVariable home{"HOME", folder.path().c_str()};
  EnvironmentVariable variable{"KUBECONFIG", nullptr};
  EnvironmentVariable host{"KUBERNETES_SERVICE_HOST", nullptr};
  EnvironmentVariable port{"KUBERNETES_SERVICE_PORT", nullptr};
  EnvironmentVariable pod_namespace{"POD_NAMESPACE", nullptr};

  std::string write(const std::string& name, const std::string& text) {
    const auto path = folder.path() / name;
    std::filesystem::create_directories(path.parent_path());
    write_file_atomically(path, text);
    return path;
  }
  Target target(const std::string& text, KubeconfigOptions options = {}) {
    options.kubeconfig = write("config.yaml", text);
    return find_target(options).value();
  }
  Error error(const std::string& text, KubeconfigOptions options = {}) {
    try {
      target(text, options);
    } catch (const Error& found) {
      CHECK(found.code == ErrorCode::usage);
      CHECK_FALSE(found.fix.empty());
      CHECK(describe(found).find("s3cret") == std::string::npos);
      return found;
    }
    FAIL("it was taken");
    return {ErrorCode::failure, ""};
  }
};

/// The steps of a path, the last one first: "a[0].b" has b, [0] and a.
inline std::vector<std::string> steps_back_of(const std::string& path) {
  std::vector<std::string> steps;
  std::string step;
  for (const char c : path + ".") {
    const bool is_end = c == '.' || c == '[';
    if (is_end && !step.empty()) steps.insert(steps.begin(), std::exchange(step, ""));
    if (c == ']')
      steps.insert(steps.begin(), step == "0" ? "[0]" : step), step.clear();
    else if (!is_end)
      step += c;
  }
  return steps;
}

inline bool holds(const Error& error, const std::string& text) {
  return describe(error).find(text) != std::string::npos;
}

}  // namespace kubeconfig_test
