#include "live/model/model.h"

#include <doctest/doctest.h>

#include <fstream>

#include "support/eventually.h"
#include "support/temporary_folder.h"

namespace model_test {

using namespace kml;
using namespace kml::live;

namespace {

/// A feed that prints the lines of a file, and then does `next`.
Source feed(const std::string& cluster, const std::filesystem::path& lines, const std::string& next) {
  return {cluster, {"sh", "-c", "cat " + lines.string() + "; " + next}};
}

std::string row(const std::string& id) {
  return line_of({.kind = Change::Kind::set,
                  .cluster = "x",
                  .id = id,
                  .order = id,
                  .data = "{\"name\":\"" + id + "\"}"}) +
         "\n";
}
const std::string kSynced = line_of({.kind = Change::Kind::synced, .cluster = "x"}) + "\n";

void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file) << text;
}

std::string ids(Model& model) {
  std::string text;
  for (const Row* row : model.tables().rows(Table::jobs)) text += row->cluster->name + "/" + row->id + " ";
  return text;
}

}  // namespace

TEST_CASE(
    "live model: several clusters are shown together; one whose feed ends is lost until its next feed") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "lines", go = folder.path() / "go";
  write(file, row("one") + row("two") + kSynced);
  // The first feed ends with an error once it may, and the next one stays.
  const std::string is_first = "mkdir " + (folder.path() / "first").string() + " 2>/dev/null";
  const std::string fails = "until [ -e " + go.string() + " ]; do sleep 0.02; done; " +
                            "echo 'kml: error: gone' >&2; echo '  why: a test' >&2; exit 1";
  Model model({feed("a", file, "if " + is_first + "; then " + fails + "; fi; exec sleep 1000"),
               feed("b", file, "exec sleep 1000")});
  const auto& clusters = model.tables().clusters();
  std::vector<Change> seen;
  const auto until = [&](const auto& condition) {
    return eventually([&] {
      for (Change& change : model.update()) seen.push_back(std::move(change));
      return condition();
    });
  };
  REQUIRE(until([&] { return clusters[0].is_synced && clusters[1].is_synced; }));
  CHECK(ids(model) == "a/one a/two b/one b/two ");
  CHECK(seen.size() == 6);
  CHECK(model.fds().size() == 4);

  write(file, row("two") + kSynced);
  write(go, "");
  REQUIRE(until([&] { return !clusters[0].trouble.empty(); }));
  CHECK(clusters[0].trouble == "gone; why: a test");
  CHECK(clusters[1].trouble.empty());
  CHECK(ids(model) == "a/one a/two b/one b/two ");
  CHECK(model.longest_wait() <= std::chrono::seconds(1));
  REQUIRE(until([&] { return clusters[0].trouble.empty(); }));
  CHECK(ids(model) == "a/two b/one b/two ");
  CHECK(line_of(seen.back()).find("drop") != std::string::npos);
}

TEST_CASE("live model: takes in a long feed piece by piece, and reports a line that is not a change") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "lines";
  std::string lines;
  constexpr int kRows = 5000;
  for (int i = 0; i < kRows; ++i) lines += row("job-" + std::to_string(i));
  write(file, lines + "nonsense\n" + kSynced);
  Model model({feed("a", file, "exec sleep 1000")});
  size_t updates = 0, most = 0;
  REQUIRE(eventually([&] {
    const size_t changes = model.update().size();
    most = std::max(most, changes);
    updates += changes > 0;
    return model.tables().clusters()[0].is_synced;
  }));
  CHECK(model.tables().rows(Table::jobs).size() == kRows);
  CHECK(updates > 2);
  CHECK(most < kRows / 2);
  CHECK_FALSE(model.tables().clusters()[0].note.empty());
}

}  // namespace model_test
