#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "kml/core/files.h"

namespace layers_test {

namespace fs = std::filesystem;

namespace {

using Order = std::map<std::string, std::set<std::string>>;

/// The folders that each folder may include besides itself, from the table in a document. Its rows have the
/// form "| `store` | holds … | loop, http |". The last column may also be "nothing", "all" or "those above".
Order order_in(const std::string& document) {
  static const std::regex kRow("\\| `(\\w+)` \\|.*\\| ([^|]+) \\|"), kName("\\w+");
  const std::string text = kml::read_file(fs::path(KML_SOURCE_DIR) / document);
  Order order;
  std::set<std::string> above;
  for (auto row = std::sregex_iterator(text.begin(), text.end(), kRow); row != std::sregex_iterator();
       ++row) {
    const std::string allowed = (*row)[2];
    std::set<std::string>& may = order[(*row)[1]];
    if (allowed == "all" || allowed == "those above")
      may = above;
    else if (allowed != "nothing")
      may.insert(std::sregex_token_iterator(allowed.begin(), allowed.end(), kName),
                 std::sregex_token_iterator());
    above.insert((*row)[1]);
  }
  return order;
}

/// For each third-party library, the only place that may use it.
const std::map<std::string, std::string> kWrappedIn = {
    {"yaml-cpp/", "src/core/"},
    {"sqlite3.h", "src/core/"},
    {"zlib.h", "src/core/"},
    {"utf8proc.h", "src/core/"},
    {"curl/", "src/http/"},
    {"microhttpd.h", "src/local/http/"},
    {"gnutls/", "src/local/http/"},
    {"mbedtls/", "src/step_s3/"},
    {"CLI/", "src/cli/"},
    {"re2/", "src/core/"},
    {"absl/", "src/core/"},
    {"Eigen/", "src/sweep/samplers/"},
    {"LBFGS", "src/sweep/samplers/"},
};

template <typename Visit>
void each_include(Visit visit) {
  const fs::path root = KML_SOURCE_DIR;
  for (const char* top : {"src", "include/kml"})
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      if (!entry.is_regular_file()) continue;
      const std::string file = fs::relative(entry.path(), root);
      std::istringstream text(kml::read_file(entry.path()));
      for (std::string line; std::getline(text, line);) {
        if (!line.starts_with("#include ")) continue;
        const size_t begin = line.find_first_of("\"<") + 1;
        visit(file, line.substr(begin, line.find_first_of("\">", begin) - begin));
      }
    }
}

/// The layer of a path: "core" for "src/core/x.cc", "include/kml/core/x.h", "kml/core/x.h" or "core/x.h";
/// empty for other paths.
std::string layer_of(const std::string& file, const Order& layers) {
  for (const fs::path& part : fs::path(file))
    if (layers.contains(part)) return part;
  return {};
}

/// The folder within a layer: "why" for "src/jobs/why/x.cc", "kml/jobs/why/x.h" or "jobs/why/x.h" in layer
/// "jobs"; empty for other paths.
std::string folder_of(std::string_view file, const std::string& layer) {
  for (const std::string_view prefix : {"src/", "include/kml/", "kml/"})
    if (file.starts_with(prefix)) {
      file.remove_prefix(prefix.size());
      break;
    }
  if (!file.starts_with(layer + "/")) return {};
  file.remove_prefix(layer.size() + 1);
  const size_t length = file.find('/');
  return length == file.npos ? std::string() : std::string(file.substr(0, length));
}

void check_folders(const std::string& layer) {
  const Order folders = order_in("src/" + layer + "/README.md");
  REQUIRE(!folders.empty());
  each_include([&](const std::string& file, const std::string& included) {
    const std::string from = folder_of(file, layer), to = folder_of(included, layer);
    if (from.empty() || to.empty() || from == to) return;
    REQUIRE_MESSAGE(folders.contains(from), file << " is in a folder without a place in the order");
    CHECK_MESSAGE(folders.at(from).contains(to), file << " includes " << included);
  });
}

}  // namespace

TEST_CASE("architecture: a layer includes only those that CONTRIBUTING.md lets it") {
  const Order layers = order_in("CONTRIBUTING.md");
  for (const auto& entry : fs::directory_iterator(fs::path(KML_SOURCE_DIR) / "src"))
    if (entry.is_directory()) CHECK_MESSAGE(layers.contains(entry.path().filename()), entry.path());
  each_include([&](const std::string& file, const std::string& included) {
    const std::string from = layer_of(file, layers), to = layer_of(included, layers);
    if (from.empty() || to.empty() || from == to) return;
    CHECK_MESSAGE(layers.at(from).contains(to), file << " includes " << included);
  });
}

TEST_CASE(
    "architecture: a folder of jobs, or of the embedded server, includes those that its README lets it") {
  check_folders("jobs");
  check_folders("local");
}

TEST_CASE("architecture: each path that a document names is there") {
  static const std::regex kPath(
      "`((?:src|include|tests|templates|trainer|examples|man)/[A-Za-z0-9_./*<>-]*)");
  const fs::path root = KML_SOURCE_DIR;
  std::vector<fs::path> documents;
  for (const char* top : {"src", "tests", "trainer", "examples"})
    for (const auto& entry : fs::recursive_directory_iterator(root / top))
      if (entry.path().extension() == ".md") documents.push_back(entry.path());
  for (const char* name : {"README.md", "CONTRIBUTING.md", "SECURITY.md"}) documents.push_back(root / name);
  for (const fs::path& document : documents) {
    const std::string text = kml::read_file(document);
    for (auto it = std::sregex_iterator(text.begin(), text.end(), kPath); it != std::sregex_iterator();
         ++it) {
      const std::string path = (*it)[1];
      const bool is_pattern = path.find_first_of("*<") != std::string::npos;
      CHECK_MESSAGE((is_pattern || fs::exists(root / path) || fs::exists(document.parent_path() / path)),
                    document << " names " << path);
    }
  }
}

TEST_CASE("architecture: a third-party library is included in one layer only") {
  each_include([](const std::string& file, const std::string& included) {
    for (const auto& [header, folder] : kWrappedIn)
      if (included.starts_with(header))
        CHECK_MESSAGE(file.starts_with(folder), file << " includes " << included);
  });
}

}  // namespace layers_test
