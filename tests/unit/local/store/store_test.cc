#include "local/store/store.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/sqlite.h"
#include "kml/base/text.h"
#include "support/temporary_folder.h"

namespace {

int syncs = 0;

}  // namespace

/// Replaces the C library's function, which SQLite calls.
extern "C" int fdatasync(int fd) {
  ++syncs;
  return static_cast<int>(::syscall(SYS_fdatasync, fd));
}

namespace store_test {

using namespace kml;
using namespace kml::local;

namespace {

const api::ResourceKind& kConfigMap = *api::find_kind("v1", "ConfigMap");
const api::ResourceKind& kJob = *api::find_kind("batch/v1", "Job");

Json config_map(const std::string& name, const std::string& value, const std::string& space = "default") {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", {{"name", name}, {"namespace", space}}},
          {"data", {{"value", value}}}};
}

std::string reason_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.reason;
  }
  return "nothing thrown";
}

struct StoreFixture {
  TemporaryFolder folder;
  std::optional<Store> store{std::in_place, folder.path() / "store.db", system_clock()};

  void reopen() {
    store.reset();
    store.emplace(folder.path() / "store.db", system_clock());
  }
};

}  // namespace

TEST_CASE_FIXTURE(StoreFixture, "store: a created object gets uid, time, revision and generation") {
  ObjectPtr job = store->create(kJob, {{"apiVersion", "batch/v1"},
                                       {"kind", "Job"},
                                       {"metadata", {{"name", "a"}, {"namespace", "default"}}},
                                       {"spec", {{"suspend", true}}}});
  CHECK(string_at(*job, {"metadata", "uid"}).size() == 36);
  CHECK(parse_rfc3339(string_at(*job, {"metadata", "creationTimestamp"})).has_value());
  CHECK(string_at(*job, {"metadata", "resourceVersion"}) == std::to_string(store->revision()));
  CHECK(int_at(*job, {"metadata", "generation"}) == 1);
  CHECK(reason_of([&] { store->create(kJob, *job); }) == "AlreadyExists");

  ObjectPtr labelled =
      store->modify(kJob, "default", "a", [](Json& j) { j["metadata"]["labels"]["x"] = "y"; });
  CHECK(int_at(*labelled, {"metadata", "generation"}) == 1);
  ObjectPtr resumed = store->modify(kJob, "default", "a", [](Json& j) { j["spec"]["suspend"] = false; });
  CHECK(int_at(*resumed, {"metadata", "generation"}) == 2);
}

TEST_CASE_FIXTURE(
    StoreFixture,
    "store: an update of an old version is a conflict, an update of the current version is not") {
  ObjectPtr first = store->create(kConfigMap, config_map("a", "1"));
  Json changed = *first;
  changed["data"]["value"] = "2";
  store->update(kConfigMap, changed);
  CHECK(reason_of([&] { store->update(kConfigMap, changed); }) == "Conflict");
  CHECK(reason_of([&] { store->update(kConfigMap, config_map("b", "1")); }) == "NotFound");
}

TEST_CASE_FIXTURE(StoreFixture, "store: an update that changes nothing does not write") {
  store->create(kConfigMap, config_map("a", "1"));
  const uint64_t before = store->revision();
  store->update(kConfigMap, config_map("a", "1"));
  CHECK(store->revision() == before);
}

TEST_CASE_FIXTURE(StoreFixture, "store: a list has the objects of one namespace or of all, in order") {
  for (const char* name : {"b", "a", "c"}) store->create(kConfigMap, config_map(name, "", "default"));
  store->create(kConfigMap, config_map("d", "", "default2"));
  std::string names;
  for (const ObjectPtr& object : store->list(kConfigMap, "default"))
    names += string_at(*object, {"metadata", "name"});
  CHECK(names == "abc");
  CHECK(store->list(kConfigMap, "").size() == 4);
  CHECK(store->list(kConfigMap, "defaul").empty());
  CHECK(store->list(kJob, "default").empty());
}

TEST_CASE_FIXTURE(StoreFixture, "store: a deleted object's name can be used again, with another uid") {
  std::string first = string_at(*store->create(kConfigMap, config_map("a", "1")), {"metadata", "uid"});
  store->remove(kConfigMap, "default", "a");
  CHECK(store->get(kConfigMap, "default", "a") == nullptr);
  CHECK(reason_of([&] { store->remove(kConfigMap, "default", "a"); }) == "NotFound");
  CHECK(string_at(*store->create(kConfigMap, config_map("a", "1")), {"metadata", "uid"}) != first);
}

TEST_CASE_FIXTURE(StoreFixture, "store: objects, deletions and the revision survive a restart") {
  store->create(kConfigMap, config_map("a", "1"));
  store->create(kConfigMap, config_map("b", "1"));
  store->remove(kConfigMap, "default", "b");
  const uint64_t revision = store->revision();
  Json before = *store->get(kConfigMap, "default", "a");
  reopen();
  CHECK(store->revision() == revision);
  CHECK(*store->get(kConfigMap, "default", "a") == before);
  CHECK(store->get(kConfigMap, "default", "b") == nullptr);
  store->create(kConfigMap, config_map("c", "1"));
  reopen();
  CHECK(store->revision() == revision + 1);
}

TEST_CASE_FIXTURE(
    StoreFixture,
    "store: events since a revision are returned in order, or not at all if the revision is too old") {
  const uint64_t start = store->revision();
  store->create(kConfigMap, config_map("a", "1"));
  store->modify(kConfigMap, "default", "a", [](Json& map) { map["data"]["value"] = "2"; });
  store->remove(kConfigMap, "default", "a");
  auto events = store->events_since(start);
  REQUIRE(events.has_value());
  REQUIRE(events->size() == 3);
  CHECK((*events)[0].change == Change::added);
  CHECK((*events)[1].change == Change::modified);
  CHECK(string_at(*(*events)[1].previous, {"data", "value"}) == "1");
  CHECK((*events)[2].change == Change::deleted);
  CHECK(string_at(*(*events)[2].object, {"metadata", "resourceVersion"}) == std::to_string(start + 3));
  CHECK(store->events_since(store->revision())->empty());
  CHECK(!store->events_since(store->revision() + 1).has_value());
  reopen();
  CHECK(!store->events_since(start).has_value());
  CHECK(store->events_since(start + 3).has_value());
}

TEST_CASE_FIXTURE(StoreFixture, "store: the number of kept events is limited") {
  store->create(kConfigMap, config_map("a", ""));
  const uint64_t start = store->revision();
  for (int i = 0; i < 4097; ++i)
    store->modify(kConfigMap, "default", "a", [&](Json& map) { map["data"]["value"] = std::to_string(i); });
  CHECK(!store->events_since(start).has_value());
  CHECK(store->events_since(start + 1)->size() == 4096);
}

TEST_CASE_FIXTURE(StoreFixture,
                  "store: a subscriber's own writes are delivered after the write that it is handling") {
  std::vector<std::string> told;
  store->subscribe([&](const StoreEvent& event) {
    if (string_at(*event.object, {"metadata", "name"}) == "a") store->create(kConfigMap, config_map("b", ""));
  });
  store->subscribe([&](const StoreEvent& event) {
    told.push_back(string_at(*event.object, {"metadata", "name"}));
  });
  store->create(kConfigMap, config_map("a", ""));
  CHECK(told == std::vector<std::string>{"a", "b"});
}

TEST_CASE_FIXTURE(StoreFixture, "store: a failing subscriber neither undoes the write nor stops the others") {
  int told = 0;
  store->subscribe(
      [](const StoreEvent&) { throw Error(ErrorCode::failure, "a subscriber of a test failed"); });
  store->subscribe([&](const StoreEvent&) { ++told; });
  store->create(kConfigMap, config_map("a", ""));
  CHECK(told == 1);
  CHECK(store->get(kConfigMap, "default", "a") != nullptr);
}

TEST_CASE("store: a store with another format is rejected") {
  TemporaryFolder folder;
  sqlite::Database(folder.path() / "store.db").execute("PRAGMA user_version = 99");
  CHECK_THROWS_WITH_AS(Store(folder.path() / "store.db", system_clock()),
                       doctest::Contains("cannot use the state in"), Error);
}

TEST_CASE("store: an acknowledged write survives the kill of its writer") {
  TemporaryFolder folder;
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    Store store(folder.path() / "store.db", system_clock());
    for (int i = 0;; ++i) {
      store.create(kConfigMap, config_map("m" + std::to_string(i), "1"));
      if (::write(ends[1], &i, sizeof i) != sizeof i) ::_exit(1);
    }
  }
  ::close(ends[1]);
  int last = -1, next = 0;
  while (last < 500 && ::read(ends[0], &next, sizeof next) == sizeof next) last = next;
  ::kill(child, SIGKILL);
  while (::read(ends[0], &next, sizeof next) == sizeof next) last = next;
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);

  Store store(folder.path() / "store.db", system_clock());
  const size_t count = store.list(kConfigMap, "default").size();
  CHECK(last >= 500);
  for (int i = 0; i <= last; ++i) REQUIRE(store.get(kConfigMap, "default", "m" + std::to_string(i)));
  CHECK(count <= static_cast<size_t>(last) + 2);  // one more object may be written but not yet reported
  CHECK(store.revision() == count);
}

TEST_CASE("store: a full disk is an error, and changes nothing in memory or on disk") {
  TemporaryFolder folder;
  pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {  // in a child process, because the limit on file size cannot be raised again
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{256 * 1024, 256 * 1024};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    Store store(folder.path() / "store.db", system_clock());
    store.create(kConfigMap, config_map("first", "1"));
    const std::string large(20'000, 'x');
    std::string reason;
    int written = 0;
    while (reason.empty() && written < 1000) try {
        store.create(kConfigMap, config_map("m" + std::to_string(written), large));
        ++written;
      } catch (const Error& error) {
        reason = error.reason;
      }
    const bool right = reason == "InsufficientStorage" &&
                       store.revision() == static_cast<uint64_t>(written) + 1 &&
                       store.list(kConfigMap, "").size() == static_cast<size_t>(written) + 1;
    ::_exit(right ? written : 255);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  REQUIRE(WIFEXITED(status));
  REQUIRE(WEXITSTATUS(status) != 255);
  Store store(folder.path() / "store.db", system_clock());
  CHECK(store.list(kConfigMap, "").size() == static_cast<size_t>(WEXITSTATUS(status)) + 1);
  CHECK(store.get(kConfigMap, "default", "first") != nullptr);
}

TEST_CASE_FIXTURE(StoreFixture, "store: one sync of the disk serves all writes since the last one") {
  store->sync();
  store->create(kConfigMap, config_map("a", "x"));  // starts a journal; SQLite syncs its first bytes itself
  store->sync();
  const int before = syncs;
  for (int i = 0; i < 20; ++i) store->create(kConfigMap, config_map("c" + std::to_string(i), "x"));
  CHECK(syncs == before);
  CHECK_FALSE(store->is_synced());
  store->sync();
  CHECK(syncs == before + 1);
  CHECK(store->is_synced());
  store->sync();
  CHECK(syncs == before + 1);
}

TEST_CASE_FIXTURE(
    StoreFixture,
    "store: a deleted or replaced Secret is in none of the files, and only the owner can read the files") {
  const api::ResourceKind& kSecret = *api::find_kind("v1", "Secret");
  const auto files_hold = [&](const std::string& text) {
    std::string all;
    for (const char* name : {"store.db", "store.db-wal"})
      all += read_file_if_exists(folder.path() / name).value_or("");
    return contains(all, text);
  };
  const auto secret = [](const std::string& value) {
    return Json{{"apiVersion", "v1"},
                {"kind", "Secret"},
                {"metadata", {{"name", "s"}, {"namespace", "default"}}},
                {"data", {{"token", value + std::string(10'000, 'A')}}}};
  };
  store->create(kSecret, secret("Zmlyc3Q"));
  store->sync();
  CHECK(files_hold("Zmlyc3Q"));
  store->update(kSecret, secret("c2Vjb25k"));
  store->sync();
  CHECK_FALSE(files_hold("Zmlyc3Q"));
  CHECK(files_hold("c2Vjb25k"));
  store->remove(kSecret, "default", "s");
  store->create(kConfigMap, config_map("a", "kept"));
  store->sync();
  CHECK_FALSE(files_hold("c2Vjb25k"));
  CHECK(files_hold("kept"));
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    CHECK(entry.status().permissions() == std::filesystem::perms(0600));
}

}  // namespace store_test
