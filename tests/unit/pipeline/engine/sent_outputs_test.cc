#include "pipeline/engine/sent_outputs.h"
#include "kml/base/value_text.h"

#include <doctest/doctest.h>

#include "kml/base/archive.h"
#include "kml/base/files.h"
#include "kml/base/frames.h"
#include "kml/base/process.h"
#include "kml/base/tar.h"
#include "pipeline/made_tree.h"

namespace kml::pipeline::tests::sent {

namespace {

const std::string kStep = fs::path(KML_BINARY).parent_path() / "kml-step";

/// A step that makes a folder, a file and a value.
Step a_step() {
  Step step;
  step.name = "make";
  step.outputs = {{"tree", OutputKind::folder}, {"file", OutputKind::file}, {"rows", OutputKind::value}};
  return step;
}

struct Pod : Made {
  fs::path message = temporary.path() / "message";
  fs::path rows = temporary.path() / "rows";
  LocalStore store{temporary.path() / "store"};
  Step step = a_step();
  StepJob job{"run-make", &step, {}};

  Pod() { write(rows, " 42\n"); }

  /// Runs kml-step with a command that copies the files in `root`, and `rows`, to its outputs.
  ProcessResult run(const std::string& report = "trees") {
    const fs::path out = temporary.path() / "made";
    const std::string make = "cp -a " + root.string() + " " + (out / "tree").string() + " && cp " +
                             (root / "a").string() + " " + (out / "file").string() + " && cp " +
                             rows.string() + " " + (out / "rows").string() + " && echo 'accuracy=0.5'";
    return run_process({kStep,       "--output", "folder",     "tree",       out / "tree",
                        "--output",  "file",     "file",       out / "file", "--output",
                        "value",     "rows",     out / "rows", "--rank",     "KML_TEST_RANK",
                        "--message", message,    "--report",   report,       "--",
                        "sh",        "-c",       make},
                       {});
  }

  std::string packed_in(const std::string& log) const {
    Frames frames;
    REQUIRE(find_frames_note(read_file(message), frames));
    std::string packed;
    const char* fault = read_frames(log, frames, packed);
    REQUIRE(std::string(fault ? fault : "") == "");
    return packed;
  }
};

std::string packed_of(const std::vector<TarEntry>& entries) {
  std::string archive;
  for (const TarEntry& entry : entries) append_tar(entry, archive);
  append_tar_end(archive);
  return gzipped(archive);
}

}  // namespace

TEST_CASE("sent outputs: kml-step sends a tree unchanged, with the same digest as on this machine") {
  Pod pod;
  write(pod.root / "tool.sh", "run");
  fs::permissions(pod.root / "tool.sh", fs::perms::owner_exec, fs::perm_options::add);
  for (const char* name : {"with space", "new\nline", "quote\"", "back\\slash", "\xFF\xFE", "\xC3\xA9",
                           "\xE2\x82\xAC", "\xC2\x85", "\x7F\x01", "\xED\xA0\x80"})
    write(pod.root / name, name);
  write(pod.root / std::string(120, 'n') / std::string(120, 'm'), "deep");
  const ProcessResult result = pod.run();
  REQUIRE(result.exit_code == 0);
  const Json made = keep_sent(pod.packed_in(result.out), "run", pod.job, pod.store);
  const Tree own = manifest_of(pod.root).tree;
  CHECK(made["tree"]["digest"] == own.digest);
  CHECK(made["tree"]["bytes"] == own.bytes);
  CHECK(made["tree"]["files"] == own.files);
  CHECK(made["file"]["digest"] == digest_of(pod.root / "a"));
  CHECK(made["rows"] == Json{{"value", 42}});
  CHECK(made["tree"]["path"] == pod.store.output_path("run", "make", 0, "tree").string());
  CHECK(pod.store.has(pod.store.output_path("run", "make", 0, "tree"), own.digest));
}

TEST_CASE("sent outputs: a value is a number in comparisons, and elsewhere the text that the step wrote") {
  CHECK(made_of_text("42\n") == Json{{"value", 42}});
  CHECK(made_of_text("1.10\n") == Json{{"value", 1.1}, {"text", "1.10"}});
  CHECK(made_of_text(" v1 ") == Json{{"value", "v1"}});
  CHECK(as_written(made_of_text("1e3")) == "1e3");
  CHECK(as_written(made_of_text("true")) == true);
}

TEST_CASE("sent outputs: a tree packed here is the same tree in a pod") {
  Pod pod;
  for (const fs::path& tree : {pod.root, pod.root / "a", pod.root / "empty"}) {
    const fs::path packed = pod.temporary.path() / "packed" / "in", place = pod.temporary.path() / "place";
    const std::string bytes = packed_tree(tree);
    write(packed / "00", bytes.substr(0, 20));
    write(packed / "01", bytes.substr(20));
    const auto run = [&](const std::string& digest) {
      return run_process(
          {kStep, "--input", "in", digest, place, "--packed", packed.parent_path(), "--", "true"}, {});
    };
    CHECK(run(digest_of(tree)).exit_code == 0);
    CHECK(digest_of(place) == digest_of(tree));
    CHECK(run(std::string(64, '0')).exit_code == 124);
    write(packed / "01", bytes.substr(20, bytes.size() - 30));
    CHECK(run(digest_of(tree)).exit_code == 124);
    fs::remove_all(packed);
  }
}

TEST_CASE("sent outputs: kml-step verifies a packed input before it writes any of it") {
  using Type = TarEntry::Type;
  const TarEntry good{.name = "good", .content = "x"};
  const auto file = [](const char* name) { return TarEntry{.name = name, .content = "x"}; };
  const auto link = [](const char* name, const std::string& target) {
    return TarEntry{.name = name, .type = Type::link, .target = target};
  };
  Made made;
  const fs::path outside = made.temporary.path() / "outside", place = made.temporary.path() / "place";
  const std::vector<TarEntry> archives[] = {
      {link("m", outside), file("m/a")},
      {link("m/a", outside), file("m/a/b")},
      {link("m", ".."), file("m/outside/a")},
      {link("l", "good"), link("m", "l/../../outside"), file("m/a")},
      {file("../outside/a")},
      {file("b/../../outside/a")},
      {file((outside / "a").c_str())},
      {file("b"), file("b")},
      {file("b"), file("b/c")},
      {file("b"), {.name = "b", .type = Type::folder}},
      {{.name = "../outside/d", .type = Type::folder}},
      {link("m", outside)},
      {link("m", "/")},
      {link("m", "../outside")},
      {link("m", "n"), link("n", "m")},
      {file("."), file("b")},
      {link(".", outside)},
  };
  for (const std::vector<TarEntry>& entries : archives) {
    fs::remove_all(outside);
    fs::create_directory(outside);
    std::vector<TarEntry> all = {good};
    all.insert(all.end(), entries.begin(), entries.end());
    write(made.temporary.path() / "packed" / "in" / "00", packed_of(all));
    const ProcessResult result =
        run_process({"sh", "-c",
                     kStep + " --input in " + std::string(64, '0') + " " + place.string() + " --packed " +
                         (made.temporary.path() / "packed").string() + " -- true 2>&1"},
                    {});
    CAPTURE(entries[0].name);
    CHECK(result.exit_code == 124);
    CHECK(result.out.starts_with("kml-step: cannot unpack " + place.string() + ": "));
    CHECK(fs::is_empty(outside));
    CHECK_FALSE(fs::exists(fs::symlink_status(place)));
  }
}

TEST_CASE("sent outputs: kml-step rejects a folder as a file, and a file as a folder") {
  Pod pod;
  const std::string place = pod.temporary.path() / "out/x";
  const auto makes = [&](const std::string& kind, const std::string& command) {
    const std::string options =
        " --output " + kind + " x " + place + " --message " + pod.message.string() + " --report trees -- ";
    return run_process({"sh", "-c", kStep + options + command + " " + place + " 2>&1"}, {});
  };
  CHECK(makes("file", "mkdir").out == "kml-step: output x is a folder, but its kind is file\n");
  CHECK(makes("folder", "touch").out == "kml-step: output x is a file, but its kind is folder\n");
  CHECK(makes("file", "touch").exit_code == 0);
  CHECK(makes("folder", "mkdir").exit_code == 0);
  CHECK(makes("artifact", "mkdir").exit_code == 0);
}

TEST_CASE("sent outputs: only the first pod reports") {
  Pod pod;
  ::setenv("KML_TEST_RANK", "1", 1);
  CHECK(pod.run().out == "accuracy=0.5\n");
  CHECK_FALSE(fs::exists(pod.message));
  ::setenv("KML_TEST_RANK", "0", 1);
  CHECK(pod.run().out.find(kFrameMark) != std::string::npos);
  ::unsetenv("KML_TEST_RANK");
}

TEST_CASE("sent outputs: if outputs are too large, none is sent") {
  Pod pod;
  write(pod.root / "big", std::string((4 << 20) + 1, 'x'));
  const ProcessResult result = pod.run();
  CHECK(result.exit_code == 125);
  CHECK_FALSE(fs::exists(pod.message));
  CHECK(result.out == "accuracy=0.5\n");
}

TEST_CASE("sent outputs: an archive that a step did not make leaves nothing behind") {
  Pod pod;
  const std::string digest = digest_of(pod.root / "a");
  const std::string report = "tree tree " + digest + " 4 1\ntree file " + digest + " 4 1\nvalue rows\n";
  const auto kept = [&](std::vector<TarEntry> entries) {
    entries.insert(entries.begin(), {"report", TarEntry::Type::file, false, {}, report});
    return error_of([&] { keep_sent(packed_of(entries), "run", pod.job, pod.store); }).message;
  };
  const auto file = [](const char* name) { return TarEntry{name, TarEntry::Type::file, false, {}, "text"}; };
  const fs::path path = pod.store.output_path("run", "make", 0, "tree");
  CHECK(kept({file("tree/tree/other")}) == "output tree differs from what the step wrote");
  CHECK(kept({}).find("cannot keep") == 0);
  const fs::path victim = pod.temporary.path() / "victim";
  fs::create_directory(victim);
  const auto link = [](const char* name, const std::string& target) {
    return TarEntry{name, TarEntry::Type::link, true, target, {}};
  };
  const auto folder = [](const char* name) { return TarEntry{name, TarEntry::Type::folder, true, {}, {}}; };
  const std::string up = "../../../../../../../victim";
  const std::vector<std::vector<TarEntry>> hostile{
      {file("tree/tree/../../outside")},
      {file("tree/tree/")},
      {file("tree/tree/./a")},
      {file("tree/tree//a")},
      {link("tree/tree/..", victim)},
      {folder("tree/tree/../outside")},
      {file("tree/tree/a"), file("tree/tree/a")},
      {link("tree/tree/a", "b"), file("tree/tree/a")},
      {link("tree/tree/a", "b"), link("tree/tree/a", "c")},
      {file("tree/tree/a/b"), file("tree/tree/a")},
      {file("tree/tree"), file("tree/tree/b")},
      {link("tree/tree", victim), file("tree/tree/b")},
      {link("tree/tree", victim)},
      {link("tree/tree/a", victim), file("tree/tree/a/b")},
      {link("tree/tree/a", victim), folder("tree/tree/a/b")},
      {link("tree/tree/a", victim), link("tree/tree/a/.ssh/authorized_keys", "/tmp/keys")},
      {link("tree/tree/a/b", "/tmp/keys"), link("tree/tree/a", victim)},
      {folder("tree/tree/a"), link("tree/tree/a", victim), link("tree/tree/a/b", "x")},
      {link("tree/tree/here", "."), link("tree/tree/here/b", "x")},
      {link("tree/tree/a", victim)},
      {link("tree/tree/a", up)},
      {link("tree/tree/here", "."), link("tree/tree/out", "here/../.."), file("tree/tree/a")},
      {link("tree/tree/round", "round")},
  };
  for (const std::vector<TarEntry>& entries : hostile) {
    CAPTURE(entries.back().name);
    const std::string message = kept(entries);
    CHECK((message.starts_with("cannot unpack") || message.starts_with("cannot keep")));
    CHECK(fs::is_empty(victim));
    CHECK_FALSE(fs::exists(fs::symlink_status(path)));
  }
  CHECK_FALSE(fs::exists(path.parent_path() / "outside"));
  CHECK(error_of([&] { keep_sent("no gzip", "run", pod.job, pod.store); }).message == "invalid gzip data");
  CHECK(error_of([&] { keep_sent(packed_of({file("other")}), "run", pod.job, pod.store); }).message ==
        "the step's outputs are damaged");
}

}  // namespace kml::pipeline::tests::sent
