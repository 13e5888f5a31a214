#include "kml/pipeline/store/store.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <functional>
#include <utility>
#include <vector>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/sha256.h"
#include "kml/base/text.h"
#include "kml/pipeline/engine/pins.h"
#include "kml/pipeline/store/key_claim.h"
#include "pipeline/made_tree.h"
#include "pipeline/store/copy_tree.h"
#include "support/environment.h"
#include "support/temporary_folder.h"

namespace store_test {

using namespace kml;
using namespace kml::pipeline;
using namespace kml::pipeline::tests;

namespace {

/// A store with one output.
struct Stored {
  TemporaryFolder temporary;
  LocalStore store{temporary.path() / "store"};
  fs::path output = prepared("r1", "train", "model");

  fs::path prepared(const std::string& run, const std::string& step, const std::string& name) const {
    const fs::path path = store.output_path(run, step, 1, name);
    store.prepare(path);
    return path;
  }
};

/// Changes a read-only file in place.
void overwrite(const fs::path& file, const std::string& text) {
  const mode_t mode = mode_of(file);
  REQUIRE(::chmod(file.c_str(), 0644) == 0);
  write(file, text);
  REQUIRE(::chmod(file.c_str(), mode) == 0);
}

}  // namespace

TEST_CASE("store: an output that was not made is an error that names the path") {
  Stored stored;
  const Error error = error_of([&] { stored.store.keep(stored.output); });
  CHECK(error.message == "cannot keep " + stored.output.string());
  CHECK(error.why == "it does not exist");
  CHECK(contains(error.fix, "${out.model}"));
}

TEST_CASE("store: files whose names sort before the folder's name are copied with it") {
  Stored stored;
  const std::vector<std::string> names = {" a",      "!", "#", "$x", "%20", "&",       "'",
                                          "(1).png", "*", "+", ",",  "-rf", ".hidden", "a/(1).png"};
  for (const std::string& name : names) write(stored.output / name, name);
  const Tree tree = stored.store.keep(stored.output);
  const fs::path copy = stored.temporary.path() / "copy";
  copy_tree(stored.output, tree.digest, copy, false);
  for (const std::string& name : names) CHECK(read_file(copy / name) == name);
}

TEST_CASE("store: storing an output that is a hard link leaves the other file unchanged") {
  Stored stored;
  const fs::path own = stored.temporary.path() / "own";
  write(own, "weights");
  REQUIRE(::chmod(own.c_str(), 0640) == 0);
  fs::create_directory(stored.output);
  fs::create_hard_link(own, stored.output / "linked");
  write(stored.output / "a", "text");
  fs::create_hard_link(stored.output / "a", stored.output / "b");
  stored.store.keep(stored.output);
  CHECK(mode_of(own) == 0640);
  CHECK(mode_of(stored.output / "linked") == 0440);
  CHECK(read_file(stored.output / "linked") == "weights");
  CHECK(fs::equivalent(stored.output / "a", stored.output / "b"));
  CHECK(std::distance(fs::directory_iterator(stored.output), fs::directory_iterator()) ==
        3);  // no copy is left over
  write(own, "changed");
  CHECK(read_file(stored.output / "linked") == "weights");
}

TEST_CASE("store: prepare creates the folder and removes files of an earlier attempt, even read-only ones") {
  Stored stored;
  CHECK(stored.output == stored.store.folder() / "data/r1/train/1/model");
  CHECK(fs::is_directory(stored.output.parent_path()));
  write(stored.output / "deep/er/file", "x");
  stored.store.keep(stored.output);
  CHECK(stored.store.output_path("r1", "train", 1, "model") == stored.output);
  CHECK(fs::exists(stored.output));
  stored.store.prepare(stored.output);
  CHECK_FALSE(fs::exists(stored.output));
  CHECK(fs::is_directory(stored.output.parent_path()));
}

TEST_CASE("store: no name of a run, step or output leads out of the store") {
  Stored stored;
  CHECK(stored.store.output_path("..", "a/b", 2, "..") ==
        stored.store.folder() / "data/%2E%2E/a%2Fb/2/%2E%2E");
}

TEST_CASE("store: stored trees are read-only, and their manifest is stored under its digest") {
  Stored stored;
  write(stored.output / "b/run", "x");
  ::chmod((stored.output / "b/run").c_str(), 0775);
  fs::create_symlink("b/run", stored.output / "link");
  const std::string expected = digest_of(stored.output);
  const Tree tree = stored.store.keep(stored.output);
  CHECK(tree.digest == expected);
  CHECK(mode_of(stored.output / "b/run") == 0555);
  CHECK((mode_of(stored.output / "b") & 0222) == 0);
  CHECK((mode_of(stored.output) & 0222) == 0);
  const fs::path manifest = stored.store.folder() / "manifests" / tree.digest.substr(0, 2) / tree.digest;
  CHECK(sha256_hex(read_file(manifest)) == tree.digest);
}

TEST_CASE("store: a stored tree can be stored again") {
  Stored stored;
  write(stored.output, "x");
  CHECK(stored.store.keep(stored.output).digest == stored.store.keep(stored.output).digest);
}

TEST_CASE("store: an unchanged tree is recognized without reading it") {
  Stored stored;
  write(stored.output / "a", "x");
  const Tree tree = stored.store.keep(stored.output);
  CHECK(stored.store.has(stored.output, tree.digest));
  // Only the stamps can contain this wrong digest, so the result shows whether they were used.
  const fs::path stamps = stored.store.folder() / "stamps/r1/train/1/model";
  const std::string other(64, 'f');
  write_file_atomically(stamps, other + read_file(stamps).substr(64));
  CHECK(stored.store.has(stored.output, other));
  CHECK_FALSE(stored.store.has(stored.output, tree.digest));
}

TEST_CASE("store: a tree that differs only in its times is recognized, and its stamps get the new times") {
  Stored stored;
  write(stored.output / "a", "x");
  const Tree tree = stored.store.keep(stored.output);
  const fs::path stamps = stored.store.folder() / "stamps/r1/train/1/model";
  const std::string before = read_file(stamps);
  set_mtime(stored.output / "a", {1000, 5});
  CHECK(stored.store.has(stored.output, tree.digest));
  // Within the kernel's clock tick of the change, stamps cannot be trusted and are not yet written.
  while (read_file(stamps) == before) REQUIRE(stored.store.has(stored.output, tree.digest));
  CHECK(contains(read_file(stamps), " 1000000000005 "));
}

TEST_CASE("store: a changed tree is treated as missing") {
  Stored stored;
  write(stored.output / "a", "1234");
  write(stored.output / "b", "5678");
  const Tree tree = stored.store.keep(stored.output);
  const fs::path file = stored.output / "a";
  ::chmod(stored.output.c_str(), 0755);
  SUBCASE("other content of the same size, with the old mtime") {
    const timespec mtime = stat_of(file).st_mtim;
    overwrite(file, "4321");
    set_mtime(file, mtime);
  }
  SUBCASE("a file was added") {
    write(stored.output / "c", "");
  }
  SUBCASE("a file was removed") {
    fs::remove(file);
  }
  SUBCASE("executable bit") {
    ::chmod(file.c_str(), 0555);
  }
  SUBCASE("a pipe instead of a file") {
    fs::remove(file);
    REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
  }
  SUBCASE("everything was removed") {
    stored.store.prepare(stored.output);
  }
  CHECK_FALSE(stored.store.has(stored.output, tree.digest));
  CHECK_FALSE(stored.store.has(stored.output, tree.digest));
}

TEST_CASE("store: a single file that changed, with its old size and mtime, is treated as missing") {
  Stored stored;
  write(stored.output, "1234");
  const Tree tree = stored.store.keep(stored.output);
  const timespec mtime = stat_of(stored.output).st_mtim;
  overwrite(stored.output, "4321");
  set_mtime(stored.output, mtime);
  CHECK_FALSE(stored.store.has(stored.output, tree.digest));
}

TEST_CASE("store: damaged or missing stamps only cost time") {
  Stored stored;
  write(stored.output / "a", "x");
  write(stored.output / "b", "y");
  const Tree tree = stored.store.keep(stored.output);
  const fs::path stamps = stored.store.folder() / "stamps/r1/train/1/model";
  const std::string whole = read_file(stamps);
  for (size_t size = 0; size < whole.size(); size += 7) {
    write_file_atomically(stamps, std::string(64, 'f') + whole.substr(0, size).erase(0, 64));
    REQUIRE(stored.store.has(stored.output, tree.digest));
  }
  fs::remove(stamps);
  CHECK(stored.store.has(stored.output, tree.digest));
  CHECK_FALSE(stored.store.has(stored.output, std::string(64, 'f')));
}

TEST_CASE("store: a result is found until it is forgotten") {
  Stored stored;
  const std::string key(64, 'a');
  CHECK_FALSE(stored.store.find_result(key));
  stored.store.keep_result(key, {{"loss", 0.5}});
  CHECK(fs::exists(stored.store.folder() / "results/aa" / (key + ".json")));
  CHECK(stored.store.find_result(key) == Json{{"loss", 0.5}});
  stored.store.keep_result(key, {{"loss", 0.25}});
  CHECK(stored.store.find_result(key) == Json{{"loss", 0.25}});
  stored.store.forget_result(key);
  CHECK_FALSE(stored.store.find_result(key));
  stored.store.forget_result(key);
}

TEST_CASE("store: a damaged or unreadable result is treated as missing") {
  Stored stored;
  const std::string key(64, 'a');
  const fs::path file = stored.store.folder() / "results/aa" / (key + ".json");
  stored.store.keep_result(key, {{"loss", 0.5}});
  SUBCASE("truncated") {
    write(file, "{\"loss\":0.");
  }
  SUBCASE("empty") {
    write(file, "");
  }
  SUBCASE("a folder in its place") {
    fs::remove(file);
    fs::create_directory(file);
  }
  CHECK_FALSE(stored.store.find_result(key));
  stored.store.each_result([](const std::string&, const Json&) { FAIL("it was listed"); });
}

TEST_CASE("store: all results are listed, sorted by key, even if one is forgotten meanwhile") {
  Stored stored;
  stored.store.each_result([](const std::string&, const Json&) { FAIL("it found one in an empty store"); });
  for (const char* key : {"bb01", "aa02", "aa01"}) stored.store.keep_result(key, {{"of", key}});
  write(stored.store.folder() / "results/aa/aa01.json.1234.tmp", "{}");
  std::vector<std::string> keys;
  stored.store.each_result([&](const std::string& key, const Json& result) {
    CHECK(result == Json{{"of", key}});
    keys.push_back(key);
    stored.store.forget_result(key);
  });
  CHECK(keys == std::vector<std::string>{"aa01", "aa02", "bb01"});
}

TEST_CASE("store: the key of a step's last result is stored by pipeline and step") {
  Stored stored;
  CHECK_FALSE(stored.store.find_latest("mnist", "train"));
  const std::string first(64, 'a'), second(64, 'b'), other(64, 'c');
  stored.store.keep_latest("mnist", "train", first);
  stored.store.keep_latest("mnist", "train", second);
  stored.store.keep_latest("mnist", "../x", other);
  CHECK(stored.store.find_latest("mnist", "train") == second);
  CHECK(stored.store.find_latest("mnist", "../x") == other);
  CHECK_FALSE(stored.store.find_latest("other", "train"));
}

TEST_CASE("store: a list is found by its digest; if it is damaged, storing it again repairs it") {
  Stored stored;
  CHECK_FALSE(stored.store.find_list(sha256_hex("a\nb\n")));
  const std::string digest = stored.store.keep_list("a\nb\n");
  CHECK(digest == sha256_hex("a\nb\n"));
  CHECK(stored.store.find_list(digest) == "a\nb\n");
  write(stored.store.folder() / "lists" / digest.substr(0, 2) / digest, "a\n");
  CHECK_FALSE(stored.store.find_list(digest));
  stored.store.keep_list("a\nb\n");
  CHECK(stored.store.find_list(digest) == "a\nb\n");
}

TEST_CASE(
    "store: remove_output removes even a read-only tree, follows no link, and leaves no empty folders") {
  Stored stored;
  const fs::path outside = stored.temporary.path() / "outside";
  write(outside / "a/b/precious", "x");
  ::chmod(outside.c_str(), 0555);
  write(stored.output / "deep/file", "x");
  stored.store.keep(stored.output);
  const fs::path unkept = stored.prepared("r1", "eval", "plots");
  fs::create_directories(unkept);
  fs::create_symlink(outside, unkept / "link");
  const fs::path other = stored.prepared("r2", "train", "model");
  write(other, "x");
  const Tree kept = stored.store.keep(other);
  fs::create_directory_symlink(outside, stored.store.folder() / "data/r3");

  const auto outputs = stored.store.outputs();
  REQUIRE(outputs.size() == 3);  // the target of the link is not an output
  for (const LocalStore::Output& output : outputs)
    if (output.run == "r1") CHECK(stored.store.remove_output(output.path, Time::max()));
  CHECK_FALSE(fs::exists(stored.store.folder() / "data/r1"));
  CHECK_FALSE(fs::exists(stored.store.folder() / "stamps/r1"));
  CHECK(read_file(outside / "a/b/precious") == "x");
  CHECK(mode_of(outside) == 0555);
  CHECK(stored.store.has(other, kept.digest));
  CHECK(stored.store.remove_output(stored.output, Time::max()));
  ::chmod(outside.c_str(), 0755);
}

TEST_CASE("store: an output that was just found is not removed") {
  Stored stored;
  write(stored.output, "x");
  const Tree tree = stored.store.keep(stored.output);
  const auto kept = stored.store.last_use(stored.output);
  REQUIRE(kept);
  const fs::path stamps = stored.store.folder() / "stamps/r1/train/1/model";
  set_mtime(stamps, {1'000'000'000, 0});
  CHECK(stored.store.last_use(stored.output) == Time(std::chrono::seconds(1'000'000'000)));
  const Time before = *kept - std::chrono::seconds(1);
  SUBCASE("found again") {
    CHECK(stored.store.has(stored.output, tree.digest));
    CHECK_FALSE(stored.store.remove_output(stored.output, before));
    CHECK(stored.store.has(stored.output, tree.digest));
  }
  SUBCASE("found again without stamps") {
    fs::remove(stamps);
    CHECK(stored.store.has(stored.output, tree.digest));
    CHECK_FALSE(stored.store.remove_output(stored.output, before));
  }
  SUBCASE("not found again") {
    CHECK(stored.store.remove_output(stored.output, before));
    CHECK_FALSE(stored.store.has(stored.output, tree.digest));
    CHECK_FALSE(stored.store.last_use(stored.output));
  }
}

TEST_CASE("store: a store that cannot be written is an error that says where to look") {
  TemporaryFolder folder;
  write(folder.path() / "store", "a file where the folder should be");
  const LocalStore store(folder.path() / "store");
  Artifact artifact;
  artifact.name = {"r", "s", "o"};
  const std::vector<std::pair<const char*, std::function<void()>>> writes = {
      {"result", [&] { store.keep_result("aa", Json::object()); }},
      {"forgotten result", [&] { store.forget_result("aa"); }},
      {"output", [&] { store.prepare(store.output_path("r", "s", 1, "o")); }},
      {"list", [&] { store.keep_list("text"); }},
      {"claim", [&] { claim_key(store.folder(), "aa", "r"); }},
      {"pin", [&] { pin(store, artifact); }}};
  for (const auto& [name, write_something] : writes) {
    CAPTURE(name);
    const Error error = error_of(write_something);
    CHECK_FALSE(error.why.empty());
    CHECK(error.reason == kStoreTrouble);
    CHECK(contains(error.fix, "df -h " + (folder.path() / "store").string()));
  }
}

TEST_CASE("store: on this machine, the store is in the state folder") {
  EnvironmentVariable state("KML_STATE_DIR", "/somewhere");
  CHECK(local_store().folder() == "/somewhere/artifacts");
}

}  // namespace store_test
