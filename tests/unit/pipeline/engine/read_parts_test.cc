#include "pipeline/engine/read_parts.h"

#include <doctest/doctest.h>

#include <functional>

#include "kml/base/files.h"
#include "kml/base/sha256.h"
#include "support/temporary_folder.h"

namespace kml::pipeline::read_parts_test {

namespace fs = std::filesystem;

constexpr PathSeen kFile{PathKind::file}, kNewFile{PathKind::file, true}, kGone{PathKind::missing},
    kFolder{PathKind::folder}, kNewFolder{PathKind::folder, true};

Reads reads_of(const ReadRecord& record) {
  const auto reads = parse_reads(record.text());
  REQUIRE(reads);
  return *reads;
}

TEST_CASE(
    "read record: has the first state of each file that the step read, unless the step had made the file") {
  struct Row {
    std::string what;
    std::function<void(ReadRecord& record)> calls;
    const char* expected;  ///< the kind of "x"; null if it is not compared
  };
  const Row rows[] = {
      {"read", [](ReadRecord& record) { record.look("x", kFile); }, "file"},
      {"looked for in vain", [](ReadRecord& record) { record.look("x", kGone); }, "missing"},
      {"read, then overwritten and read",
       [](ReadRecord& record) {
         record.look("x", kFile);
         record.make("x", kFile);
         record.look("x", kNewFile);
       },
       "file"},
      {"made, then read",
       [](ReadRecord& record) {
         record.make("x", kGone);
         record.look("x", kNewFile);
       },
       nullptr},
      {"looked for in vain, then made and read",
       [](ReadRecord& record) {
         record.look("x", kGone);
         record.make("x", kGone);
         record.look("x", kNewFile);
       },
       "missing"},
      {"appended to, then read",
       [](ReadRecord& record) {
         record.write("x", kFile);
         record.look("x", kNewFile);
       },
       "file"},
      {"only appended to", [](ReadRecord& record) { record.write("x", kFile); }, nullptr},
      {"could not be made, then read",
       [](ReadRecord& record) {
         record.make("x", kFile);
         record.look("x", kFile);
       },
       "file"},
      {"could not be made, then looked for",
       [](ReadRecord& record) {
         record.make("x", kGone);
         record.look("x", kGone);
       },
       "missing"},
      {"made, removed, then looked for",
       [](ReadRecord& record) {
         record.make("x", kGone);
         record.remove("x", kNewFile);
         record.look("x", kGone);
       },
       nullptr},
      {"renamed", [](ReadRecord& record) { record.rename("x", kFile); }, "file"},
      {"made in a folder that was made",
       [](ReadRecord& record) {
         record.make_folder("d", kGone);
         record.look("d/x", kNewFile);
         record.look("x", kFile);
       },
       "file"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    ReadRecord record;
    row.calls(record);
    const Reads reads = reads_of(record);
    const auto found = reads.looked_up.find("x");
    CHECK((found != reads.looked_up.end()) == (row.expected != nullptr));
    if (row.expected && found != reads.looked_up.end())
      CHECK(found->second == (std::string(row.expected) == "file" ? PathKind::file : PathKind::missing));
    CHECK(reads.changed.empty());
    CHECK(reads.unsure.empty());
    CHECK_FALSE(reads.looked_up.contains("d/x"));
  }
}

TEST_CASE(
    "read record: what other processes changed in the meantime, and what cannot be followed, is reported") {
  ReadRecord record;
  record.look("a", kNewFile);
  CHECK(reads_of(record).changed == std::set<std::string>{"a"});
  record.look("d", kNewFolder);  // a folder's time changes with its entries
  CHECK(reads_of(record).changed.size() == 1);
  record.rename("d", kFolder);
  CHECK(reads_of(record).unsure == "it renamed the folder d");
}

TEST_CASE("read record: an incomplete or damaged text is not a record") {
  ReadRecord record;
  record.look("a b\n", kFile);
  record.list(".", false, [] { return ReadRecord::Entries{{"c", kFile}}; });
  const std::string text = record.text();
  REQUIRE(parse_reads(text));
  CHECK(parse_reads(text)->looked_up.contains("a b\n"));
  CHECK(parse_reads(text)->lists.at(".").entries.contains("c"));
  for (size_t size = 0; size < text.size(); ++size) CHECK_FALSE(parse_reads(text.substr(0, size)));
  CHECK_FALSE(parse_reads(text + '\0'));
  CHECK_FALSE(parse_reads(std::string("kml-reads 2 \0nonsense x\0end \0", 30)));
}

TEST_CASE("read record: a call whose success depends on what is at the path is recorded as a test") {
  struct Row {
    std::string what;
    std::function<void(ReadRecord& record)> calls;
    std::optional<PathKind> tested;
    bool is_written;
  };
  const Row rows[] = {
      {"created and removed",
       [](ReadRecord& record) {
         record.create("x", kGone);
         record.remove("x", kNewFile);
       },
       PathKind::missing, true},
      {"created and left", [](ReadRecord& record) { record.create("x", kGone); }, {}, true},
      {"not created", [](ReadRecord& record) { record.create("x", kFile); }, PathKind::file, false},
      {"a folder, created and removed",
       [](ReadRecord& record) {
         record.make_folder("x", kGone);
         record.remove("x", kNewFolder);
       },
       PathKind::missing, false},
      {"a folder, created and left", [](ReadRecord& record) { record.make_folder("x", kGone); }, {}, false},
      {"a folder that was there", [](ReadRecord& record) { record.make_folder("x", kFolder); },
       PathKind::folder, false},
      {"a file, made and removed",
       [](ReadRecord& record) {
         record.make("x", kGone);
         record.remove("x", kNewFile);
       },
       {},
       true},
      {"a file in place of a folder", [](ReadRecord& record) { record.make("x", kFolder); }, PathKind::folder,
       false},
      {"appended to", [](ReadRecord& record) { record.write("x", kFile); }, {}, true},
      {"a folder put in place",
       [](ReadRecord& record) {
         record.make_folder("t", kGone);
         record.rename("t", kNewFolder);
         record.replace("x", kGone);
       },
       {},
       false},
      {"a file put in place",
       [](ReadRecord& record) {
         record.make("t", kGone);
         record.rename("t", kNewFile);
         record.replace("x", kFile);
       },
       {},
       true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    ReadRecord record;
    row.calls(record);
    const Reads reads = reads_of(record);
    const auto found = reads.tested.find("x");
    CHECK((found == reads.tested.end() ? std::optional<PathKind>() : found->second) == row.tested);
    CHECK(reads.written.contains("x") == row.is_written);
    CHECK_FALSE(reads.looked_up.contains("x"));
  }
}

TEST_CASE("read record: a file's first mode is recorded, and only if the program asked for the mode") {
  ReadRecord record;
  record.look("a", {PathKind::file, false, 0644});
  record.ask("b", {PathKind::file, false, 0640});
  record.ask("b", {PathKind::file, true, 0755});
  record.write("c", {PathKind::file, false, 0600});
  record.ask("c", {PathKind::file, true, 0755});
  record.ask("d", {PathKind::link, false, 0777});
  record.make("e", kGone);
  record.ask("e", {PathKind::file, true, 0755});
  CHECK(reads_of(record).modes == std::map<std::string, unsigned>{{"b", 0640}, {"c", 0600}});
}

/// A folder on disk, with the list of its files that kml keeps.
struct TestedFolder {
  TemporaryFolder folder;

  TestedFolder() {
    for (const char* name : {"train.py", "lib/a.py", "notes.txt"}) write(name, name);
  }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder.path() / name).parent_path());
    write_file_atomically(folder.path() / name, text, 0644);
  }
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder.path()))
      if (entry.is_symlink())
        files[entry.path().lexically_relative(folder.path())] = " link x";
      else if (entry.is_regular_file() && entry.path().extension() != ".ignored")
        files[entry.path().lexically_relative(folder.path())] = " 644 " + sha256_of_file(entry.path());
    return files;
  }
  CodeFolder here() const { return folder_here(files(), folder.path()); }
};

TEST_CASE("read list: the list changes only if something that was read has changed") {
  struct Row {
    std::string what;
    std::function<void(const TestedFolder& tested)> edit;
    bool changes;
  };
  const auto write = [](const char* name) {
    return [name](const TestedFolder& tested) { tested.write(name, "new"); };
  };
  const auto remove = [](const char* name) {
    return [name](const TestedFolder& tested) { fs::remove_all(tested.folder.path() / name); };
  };
  const Row rows[] = {
      {"nothing", [](const TestedFolder&) {}, false},
      {"a file that was read", write("train.py"), true},
      {"the same text again", [](const TestedFolder& tested) { tested.write("train.py", "train.py"); },
       false},
      {"a file that was not read", write("notes.txt"), false},
      {"a file that was looked for", write("settings.yaml"), true},
      {"a folder that was looked for", write("data/x.csv"), true},
      {"a module in a folder of modules", write("json.py"), true},
      {"a package in a folder of modules", write("numpy/__init__.py"), true},
      {"a notebook in a folder of modules", write("notes.ipynb"), false},
      {"a file without extension in a folder of modules", write("README"), false},
      {"any file in a listed folder", write("lib/data.csv"), true},
      {"a removed file in a listed folder", remove("lib/a.py"), true},
      {"an ignored file in a listed folder", write("lib/x.ignored"), false},
      {"an empty folder in a listed folder",
       [](const TestedFolder& tested) { fs::create_directory(tested.folder.path() / "lib/empty"); }, true},
      {"cached code in a listed folder", write("lib/__pycache__/a.pyc"), false},
      {"what a step made in a listed folder", write("lib/train.log"), false},
      {"a folder that the step makes if it is missing", write("logs/x"), false},
      {"a removed file that was read", remove("train.py"), true},
      {"kml's own files", write("state/x"), false},
      {"a folder in place of a listed file",
       [=](const TestedFolder& tested) {
         remove("lib/a.py")(tested);
         tested.write("lib/a.py/new", "x");
       },
       true},
      {"a link in place of a listed file",
       [=](const TestedFolder& tested) {
         remove("lib/a.py")(tested);
         fs::create_symlink("../notes.txt", tested.folder.path() / "lib/a.py");
       },
       true},
      {"other content of a listed file", write("lib/a.py"), false},
      {"a mode that was asked for",
       [](const TestedFolder& tested) {
         fs::permissions(tested.folder.path() / "train.py", fs::perms(0640));
       },
       true},
      {"a mode that was not asked for",
       [](const TestedFolder& tested) {
         fs::permissions(tested.folder.path() / "notes.txt", fs::perms(0640));
       },
       false},
      {"a lock that the step creates and removes", write("lock"), true},
      {"a file that the step writes", write("out.txt"), false},
      {"a folder where the step writes a file", write("out.txt/x"), true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    TestedFolder tested;
    ReadRecord record;
    record.ask("train.py", {PathKind::file, false, 0644});
    record.create("lock", kGone);
    record.remove("lock", kNewFile);
    record.make("out.txt", kGone);
    record.look("settings.yaml", kGone);
    record.look("data", kGone);
    record.look("state", kGone);
    record.look("logs", kGone);
    record.make_folder("logs", kGone);
    record.list(".", true, [] {
      return ReadRecord::Entries{{"train.py", kFile}, {"lib", kFolder}, {"notes.txt", kFile}};
    });
    record.list("lib", false, [] { return ReadRecord::Entries{{"a.py", kFile}}; });
    const Reads reads = reads_of(record);
    const auto list = [&](CodeFolder folder) {
      folder.state = "state";
      folder.made_by_steps = {"lib/train.log", "logs"};
      return read_list(reads, folder);
    };
    const CodeFolder seen = folder_seen(tested.files(), reads);
    const std::string before = list(seen);
    CHECK(changed_before_read(reads, seen).empty());
    row.edit(tested);
    CHECK((list(tested.here()) != before) == row.changes);
  }
}

TEST_CASE("read list: a record that does not fit the files that kml found is noticed") {
  const TestedFolder tested;
  struct Row {
    std::string what;
    std::function<void(ReadRecord& record)> calls;
    const char* changed;
  };
  const Row rows[] = {
      {"as it was", [](ReadRecord& record) { record.look("train.py", kFile); }, ""},
      {"edited", [](ReadRecord& record) { record.look("train.py", kNewFile); }, "train.py"},
      {"gone", [](ReadRecord& record) { record.look("train.py", kGone); }, "train.py"},
      {"a link", [](ReadRecord& record) { record.look("train.py", {PathKind::link}); }, "train.py"},
      {"a folder that is gone", [](ReadRecord& record) { record.look("lib", kGone); }, "lib"},
      {"gone from a listing",
       [](ReadRecord& record) { record.list("lib", false, [] { return ReadRecord::Entries(); }); },
       "lib/a.py"},
      {"a folder in a listing",
       [](ReadRecord& record) {
         record.list("lib", false, [] { return ReadRecord::Entries{{"a.py", kFolder}}; });
       },
       "lib/a.py"},
      {"removed by the step",
       [](ReadRecord& record) {
         record.remove("lib/a.py", kFile);
         record.list("lib", false, [] { return ReadRecord::Entries(); });
       },
       ""},
      {"cached code", [](ReadRecord& record) { record.look("__pycache__/a.pyc", kNewFile); }, ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    ReadRecord record;
    row.calls(record);
    const Reads reads = reads_of(record);
    CHECK(changed_before_read(reads, folder_seen(tested.files(), reads)) == row.changed);
  }
}

}  // namespace kml::pipeline::read_parts_test
