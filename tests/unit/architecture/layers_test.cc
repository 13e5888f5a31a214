#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/files.h"

namespace layers_test {

namespace fs = std::filesystem;

namespace {

/// The table of folders in a document, in order. Each row has the other folders that its folder may include.
struct Order {
  std::vector<std::string> folders;
  std::map<std::string, std::set<std::string>> may_include;

  bool has(const std::string& folder) const { return may_include.contains(folder); }
  bool is_above(const std::string& a, const std::string& b) const {
    return std::find(folders.begin(), folders.end(), a) < std::find(folders.begin(), folders.end(), b);
  }
};

/// Rows have the form "| `store` | holds … | loop, http |". The last column may also be "nothing", "all" or
/// "those above".
Order order_in(const std::string& document) {
  static const std::regex kRow("\\| `(\\w+)` \\|.*\\| ([^|]+) \\|"), kName("\\w+");
  const std::string text = kml::read_file(fs::path(KML_SOURCE_DIR) / document);
  Order order;
  for (auto row = std::sregex_iterator(text.begin(), text.end(), kRow); row != std::sregex_iterator();
       ++row) {
    const std::string allowed = (*row)[2];
    std::set<std::string>& may = order.may_include[(*row)[1]];
    if (allowed == "all" || allowed == "those above")
      may.insert(order.folders.begin(), order.folders.end());
    else if (allowed != "nothing")
      may.insert(std::sregex_token_iterator(allowed.begin(), allowed.end(), kName),
                 std::sregex_token_iterator());
    order.folders.push_back((*row)[1]);
  }
  return order;
}

/// The only place that may use each third-party library.
const std::map<std::string, std::string> kWrappedIn = {
    {"yaml-cpp/", "src/base/"},
    {"sqlite3.h", "src/base/"},
    {"zlib.h", "src/base/"},
    {"utf8proc.h", "src/base/"},
    {"curl/", "src/net/http/"},
    {"microhttpd.h", "src/local/http/"},
    {"gnutls/", "src/local/http/"},
    {"mbedtls/", "src/step_s3/"},
    {"CLI/", "src/cli/"},
    {"re2/", "src/base/"},
    {"absl/", "src/base/"},
    {"Eigen/", "src/sweep/samplers/"},
    {"LBFGS", "src/sweep/samplers/"},
    {"toml++/", "src/job/packages/"},
};

template <typename Visit>
void each_include(Visit visit) {
  const fs::path root = KML_SOURCE_DIR;
  for (const char* top : {"src", "include/kml"})
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      const fs::path kind = entry.path().extension();
      if (kind != ".cc" && kind != ".h") continue;
      const std::string file = fs::relative(entry.path(), root);
      std::istringstream text(kml::read_file(entry.path()));
      for (std::string line; std::getline(text, line);) {
        if (!line.starts_with("#include ")) continue;
        const size_t begin = line.find_first_of("\"<") + 1;
        visit(file, line.substr(begin, line.find_first_of("\">", begin) - begin));
      }
    }
}

/// The part and the folder of a file: "job" and "why" for "src/job/why/x.cc", "include/kml/job/why/x.h",
/// "kml/job/why/x.h" or "job/why/x.h". For a file directly in a part of src, `folder` is empty; for a file
/// directly in src, both are empty.
struct Place {
  std::string part, folder;

  bool is(const char* name) const { return folder == name; }
  bool is_model() const { return !is("tables") && !is("commands"); }
};

Place place_of(std::string_view file) {
  for (const std::string_view prefix : {"src/", "include/kml/", "kml/"})
    if (file.starts_with(prefix)) {
      file.remove_prefix(prefix.size());
      break;
    }
  Place place;
  for (std::string* name : {&place.part, &place.folder}) {
    const size_t length = file.find('/');
    if (length == file.npos) break;
    *name = file.substr(0, length);
    file.remove_prefix(length + 1);
  }
  return place;
}

/// Whether the file declares a command and nothing that others could include.
bool is_command_itself(const std::string& file) {
  return place_of(file).is("commands") && file.ends_with(".cc") &&
         !fs::exists(fs::path(KML_SOURCE_DIR) / fs::path(file).replace_extension(".h"));
}

/// See "Where things are" in CONTRIBUTING.md.
bool may_include(const Order& parts, const std::string& file, const Place& to) {
  const Place from = place_of(file);
  const bool is_above = parts.is_above(to.part, from.part);
  if (from.part == "app") return true;
  if (to.is("commands")) return from.is("commands") && (is_above || is_command_itself(file));
  if (from.is("commands")) return to.part != "app";
  if (to.is("tables")) return from.is("tables") && is_above;
  return parts.may_include.at(from.part).contains(to.part) || (from.is("tables") && to.part == "ui");
}

void check_folders(const std::string& part) {
  const Order folders = order_in("src/" + part + "/README.md");
  REQUIRE(!folders.folders.empty());
  each_include([&](const std::string& file, const std::string& included) {
    const Place from = place_of(file), to = place_of(included);
    if (from.part != part || to.part != part || from.folder == to.folder) return;
    if (from.folder.empty() || to.folder.empty()) return;
    REQUIRE_MESSAGE(folders.has(from.folder), file << " is in a folder without a place in the order");
    CHECK_MESSAGE(folders.may_include.at(from.folder).contains(to.folder), file << " includes " << included);
  });
}

}  // namespace

TEST_CASE("architecture: a part of src includes only the parts that CONTRIBUTING.md allows") {
  const Order parts = order_in("CONTRIBUTING.md");
  for (const auto& entry : fs::directory_iterator(fs::path(KML_SOURCE_DIR) / "src"))
    if (entry.is_directory()) CHECK_MESSAGE(parts.has(entry.path().filename()), entry.path());
  each_include([&](const std::string& file, const std::string& included) {
    const Place from = place_of(file), to = place_of(included);
    if (!parts.has(from.part) || !parts.has(to.part) || from.part == to.part) return;
    CHECK_MESSAGE(may_include(parts, file, to), file << " includes " << included);
  });
}

TEST_CASE("architecture: a folder includes only the folders that the README of its part of src allows") {
  for (const char* part : {"net", "kube", "image", "local", "job", "pod", "engine", "serve", "sweep",
                           "pipeline", "tracking", "schedule", "mcp", "live"})
    check_folders(part);
}

TEST_CASE(
    "architecture: except for the headers of libraries, each public header is needed outside its own part of "
    "src") {
  const std::set<std::string> libraries = {"base", "net", "kube", "ui", "local"};
  std::map<std::string, std::vector<std::string>> clients;  // by header
  each_include([&](const std::string& file, const std::string& included) {
    if (included.starts_with("kml/")) clients[included].push_back(file);
  });
  std::set<std::string> needed;
  const auto is_needed = [&](const std::string& header) {
    return std::ranges::any_of(clients[header], [&](const std::string& file) {
      return place_of(file).part != place_of(header).part ||
             (file.starts_with("include/") && needed.contains(file.substr(std::string("include/").size())));
    });
  };
  for (bool grows = true; grows;) {
    grows = false;
    for (const auto& [header, files] : clients)
      if (!needed.contains(header) && is_needed(header)) grows = needed.insert(header).second;
  }
  const fs::path include = fs::path(KML_SOURCE_DIR) / "include";
  for (const auto& entry : fs::recursive_directory_iterator(include)) {
    const std::string header = fs::relative(entry.path(), include);
    if (entry.path().extension() == ".h" && !libraries.contains(place_of(header).part))
      CHECK_MESSAGE(needed.contains(header), header << " belongs in src");
  }
}

TEST_CASE("architecture: a C++ file in src, include and tests has at most 400 lines") {
  constexpr auto kMost = 400;
  for (const char* top : {"src", "include/kml", "tests"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(KML_SOURCE_DIR) / top)) {
      const fs::path kind = entry.path().extension();
      if (kind != ".cc" && kind != ".h") continue;
      const std::string text = kml::read_file(entry.path());
      CHECK_MESSAGE(std::count(text.begin(), text.end(), '\n') <= kMost, entry.path());
    }
}

TEST_CASE("architecture: each path that a document names or links to exists") {
  static const std::regex kPath(
      "`((?:src|include|tests|templates|trainer|examples|man)/[A-Za-z0-9_./*<>-]*)");
  const fs::path root = KML_SOURCE_DIR;
  std::vector<fs::path> documents;
  for (const char* top : {"src", "docs", "tests", "trainer", "examples"})
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
    static const std::regex kLink("\\]\\(([^):#]+)(?:#[^)]*)?\\)");
    for (auto it = std::sregex_iterator(text.begin(), text.end(), kLink); it != std::sregex_iterator();
         ++it) {
      const std::string path = (*it)[1];
      CHECK_MESSAGE(fs::exists(document.parent_path() / path), document << " links to " << path);
    }
  }
}

TEST_CASE("architecture: each test that SECURITY.md names exists") {
  static const std::regex kTest(
      "`((?:cli|client|cluster|contract|soak|trainer|unit)/[a-z0-9_/]+(?:\\.\\w+)?)`");
  const fs::path root = KML_SOURCE_DIR;
  const std::string text = kml::read_file(root / "SECURITY.md");
  size_t named = 0;
  for (auto it = std::sregex_iterator(text.begin(), text.end(), kTest); it != std::sregex_iterator();
       ++it, ++named)
    CHECK_MESSAGE(fs::exists(root / "tests" / std::string((*it)[1])), (*it)[1]);
  CHECK(named > 20);
}

template <typename Visit>
void each_source(Visit visit) {
  const fs::path root = KML_SOURCE_DIR;
  for (const char* top : {"src", "include/kml"})
    for (const auto& entry : fs::recursive_directory_iterator(root / top))
      if (entry.path().extension() == ".cc" || entry.path().extension() == ".h")
        visit(fs::relative(entry.path(), root).string(), kml::read_file(entry.path()));
}

TEST_CASE("architecture: only tables, commands and a few other layers write to streams") {
  static const std::regex kPrints(
      "^src/main\\.cc$|^src/(ui|cli|app|step|step_s3)/|^src/\\w+/(tables|commands)/|^src/base/streams\\.cc$"),
      kStream("std::c(out|err)\\b|\\bstreams_?(\\(\\))?\\.(out|err)\\b");
  each_source([&](const std::string& file, const std::string& text) {
    CAPTURE(file);
    if (!std::regex_search(file, kPrints)) CHECK_FALSE(std::regex_search(text, kStream));
  });
}

TEST_CASE("architecture: a table is made from columns, not from separate headers and cells") {
  static const std::regex kTables("^src/\\w+/tables/"), kHeader("\\bTable \\w+[({]");
  each_source([&](const std::string& file, const std::string& text) {
    CAPTURE(file);
    if (std::regex_search(file, kTables)) CHECK_FALSE(std::regex_search(text, kHeader));
  });
}

TEST_CASE("architecture: a namespace in src has the name of its part, or of the layer commands or tables") {
  static const std::map<std::string, std::set<std::string>> kOthers = {
      {"app", {"cli"}},
      {"base", {"", "yaml", "sqlite"}},
      {"job", {"packages", "render", "spec"}},
      {"kube", {"api"}},
      {"net", {"fetch", "http", "s3", "registry"}}};
  static const std::map<std::string, std::string> kLayers = {{"commands", "cli"}, {"tables", "ui"}};
  std::set<std::string> tops;  // shows that both folders were looked at
  static const std::regex kFile("^(?:src|include/kml)/(\\w+)/(?:(\\w+)/)?.*"),
      kOpens("\nnamespace kml(?:::(\\w+))?[\\w:]* \\{");
  each_source([&](const std::string& file, const std::string& text) {
    std::smatch place;
    if (!std::regex_match(file, place, kFile)) return;
    tops.insert(file.substr(0, file.find('/')));
    std::set<std::string> right = {place[1]};
    if (const auto others = kOthers.find(place[1]); others != kOthers.end())
      right.insert(others->second.begin(), others->second.end());
    if (const auto layer = kLayers.find(place[2]); layer != kLayers.end()) right.insert(layer->second);
    for (auto opens = std::sregex_iterator(text.begin(), text.end(), kOpens); opens != std::sregex_iterator();
         ++opens)
      CHECK_MESSAGE(right.contains((*opens)[1]), file << " opens" << opens->str());
  });
  CHECK(tops == std::set<std::string>{"include", "src"});
}

TEST_CASE("architecture: each wrapped third-party library is included by only one part of src") {
  each_include([](const std::string& file, const std::string& included) {
    for (const auto& [header, folder] : kWrappedIn)
      if (included.starts_with(header))
        CHECK_MESSAGE(file.starts_with(folder), file << " includes " << included);
  });
}

}  // namespace layers_test
