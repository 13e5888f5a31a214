#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "kml/core/files.h"

namespace layers_test {

namespace fs = std::filesystem;

namespace {

/// The layers that a layer's files may include besides their own. Data flows one way.
const std::map<std::string, std::set<std::string>> kMayInclude = {
    {"core", {}},
    {"api", {"core"}},
    {"spec", {"core", "api"}},
    {"render", {"core", "api", "spec"}},
    {"http", {"core"}},
    {"kube", {"core", "api", "http"}},
    {"local", {"core", "api"}},
    {"sweep", {"core", "api", "spec"}},
    {"jobs", {"core", "api", "spec", "render", "http", "kube", "sweep"}},
    {"ui", {"core", "api", "sweep", "jobs"}},
    {"cli", {"core", "api", "spec", "render", "http", "kube", "local", "sweep", "jobs", "ui"}},
};

/// The same for the folders of the embedded server, src/local/.
const std::map<std::string, std::set<std::string>> kServerFolders = {
    {"loop", {}},
    {"store", {"loop"}},
    {"http", {"loop"}},
    {"api", {"store", "http"}},
    {"quota", {"store", "api"}},
    {"admission", {"store", "api", "quota"}},
    {"logs", {"loop", "store", "http", "api"}},
    {"tables", {"store", "http", "api"}},
    {"routes", {"loop", "store", "http", "api", "admission", "logs", "tables"}},
    {"events", {"loop", "store"}},
    {"scheduling", {"loop", "store", "events"}},
    {"controllers", {"loop", "store", "api", "quota", "admission", "events", "scheduling"}},
    {"shim", {"loop"}},
    {"kubelet", {"loop", "store", "events", "scheduling", "shim"}},
    {"server",
     {"loop", "store", "http", "api", "admission", "logs", "routes", "events", "scheduling", "controllers",
      "shim", "kubelet"}},
};

/// Each third-party library is wrapped in one place.
const std::map<std::string, std::string> kWrappedIn = {
    {"yaml-cpp/", "src/core/"},
    {"sqlite3.h", "src/core/"},
    {"zlib.h", "src/core/"},
    {"curl/", "src/http/"},
    {"microhttpd.h", "src/local/http/"},
    {"gnutls/", "src/local/http/"},
    {"CLI/", "src/cli/"},
    {"re2/", "src/core/"},
    {"Eigen/", "src/sweep/samplers/"},
    {"LBFGS", "src/sweep/samplers/"},
};

template <typename Visit>
void each_include(Visit visit) {
  static const std::regex kInclude("#include [\"<]([^\">]+)[\">]");
  const fs::path root = KML_SOURCE_DIR;
  for (const char* top : {"src", "include/kml"})
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      if (!entry.is_regular_file()) continue;
      const std::string file = fs::relative(entry.path(), root);
      const std::string text = kml::read_file(entry.path());
      for (auto it = std::sregex_iterator(text.begin(), text.end(), kInclude); it != std::sregex_iterator();
           ++it)
        visit(file, (*it)[1].str());
    }
}

/// The layer of "src/core/x.cc", "include/kml/core/x.h", "kml/core/x.h" or "core/x.h"; empty for other names.
std::string layer_of(const std::string& file) {
  for (const fs::path& part : fs::path(file))
    if (kMayInclude.contains(part)) return part;
  return {};
}

/// "store" of "src/local/store/x.cc" or "local/store/x.h"; empty for other names.
std::string server_folder_of(const std::string& file) {
  static const std::regex kFolder("(?:src/)?local/(\\w+)/.*");
  std::smatch found;
  return std::regex_match(file, found, kFolder) ? found[1].str() : std::string();
}

}  // namespace

TEST_CASE("architecture: a layer includes only the layers below it") {
  each_include([](const std::string& file, const std::string& included) {
    const std::string from = layer_of(file), to = layer_of(included);
    if (from.empty() || to.empty() || from == to) return;
    CHECK_MESSAGE(kMayInclude.at(from).contains(to), file << " includes " << included);
  });
}

TEST_CASE("architecture: a folder of the embedded server includes only those below it") {
  each_include([](const std::string& file, const std::string& included) {
    const std::string from = server_folder_of(file), to = server_folder_of(included);
    if (from.empty() || to.empty() || from == to) return;
    REQUIRE_MESSAGE(kServerFolders.contains(from), file << " is in a folder without a place in the order");
    CHECK_MESSAGE(kServerFolders.at(from).contains(to), file << " includes " << included);
  });
}

TEST_CASE("architecture: a third-party library is included in one layer only") {
  each_include([](const std::string& file, const std::string& included) {
    for (const auto& [header, folder] : kWrappedIn)
      if (included.starts_with(header))
        CHECK_MESSAGE(file.starts_with(folder), file << " includes " << included);
  });
}

}  // namespace layers_test
