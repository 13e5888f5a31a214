#include "checkpoint/checkpoint.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <fstream>

#include "base/error.h"
#include "checkpoint/writer.h"
#include "support/temporary_folder.h"

using namespace trainer;

namespace {

const StateLayout kLayout = {{{"w", {2, 2}, 0, 4}, {"b", {1}, 4, 1}}, {"one", "two"}};

State state_at(uint64_t step) {
  State state;
  state.step = step;
  state.updates = step - step / 10;
  const auto value = static_cast<Real>(step);
  state.parameters = {value, 1, 2, 3, 4};
  state.moments = {{5, 6, 7, 8, value}, {9, value, 11, 12, 13}};
  return state;
}

bool same(const State& a, const State& b) {
  return a.step == b.step && a.updates == b.updates && a.parameters == b.parameters && a.moments == b.moments;
}

struct CheckpointFixture {
  kml::TemporaryFolder folder;
  std::vector<std::string> said;

  CheckpointFolder open(std::map<std::string, std::string> identity = {{"seed", "1"}, {"machine", "m"}}) {
    return {folder.path() / "ck", std::move(identity), kLayout,
            [this](const std::string& text) { said.push_back(text); }};
  }
  size_t files() const {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder.path() / "ck"), {}));
  }
};

void damage(const std::filesystem::path& file) {
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekp(-3, std::ios::end);
  stream.put('!');
}

}  // namespace

TEST_CASE_FIXTURE(CheckpointFixture,
                  "checkpoint: an empty folder has no state, and a saved state is read back completely") {
  CHECK_FALSE(open().load());
  open().save(state_at(100));
  CHECK(same(*open().load(), state_at(100)));
  CHECK(said.empty());
}

TEST_CASE_FIXTURE(CheckpointFixture,
                  "checkpoint: the last two checkpoints are kept, and LATEST names the newest") {
  CheckpointFolder folder = open();
  for (uint64_t step : {9, 10, 11}) folder.save(state_at(step));
  CHECK(files() == 3);  // two checkpoints and LATEST
  CHECK(same(*folder.load(), state_at(11)));
  std::string name;
  std::ifstream(this->folder.path() / "ck/LATEST") >> name;
  CHECK(name == "step-0000000011.safetensors");
}

TEST_CASE_FIXTURE(
    CheckpointFixture,
    "checkpoint: a damaged checkpoint is renamed, with a message, and the previous one is used") {
  CheckpointFolder folder = open();
  folder.save(state_at(10));
  const auto newest = folder.save(state_at(20));
  SUBCASE("a bit is flipped") {
    damage(newest);
  }
  SUBCASE("the file is cut short") {
    std::filesystem::resize_file(newest, 100);
  }
  SUBCASE("the file is empty") {
    std::filesystem::resize_file(newest, 0);
  }
  CHECK(same(*folder.load(), state_at(10)));
  REQUIRE(said.size() == 1);
  CHECK(said[0].find(newest.string() + " is damaged: it") != std::string::npos);
  // The damaged checkpoint is no longer one of the two that are kept.
  folder.save(state_at(15));
  CHECK(same(*folder.load(), state_at(15)));
  damage(this->folder.path() / "ck/step-0000000015.safetensors");
  CHECK(same(*folder.load(), state_at(10)));
}

TEST_CASE_FIXTURE(CheckpointFixture,
                  "checkpoint: a checkpoint from another run is rejected; if it is from another machine, it "
                  "is used with a message") {
  open().save(state_at(10));
  try {
    open({{"seed", "2"}, {"machine", "m"}}).load();
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.why() == "it belongs to another run: its seed is 1, this run's is 2");
  }
  CHECK(same(*open({{"seed", "1"}, {"machine", "n"}}).load(), state_at(10)));
  REQUIRE(said.size() == 1);
  CHECK(said[0].find("written on m, but this machine is n") != std::string::npos);
}

TEST_CASE_FIXTURE(CheckpointFixture, "checkpoint: two runs cannot share a folder") {
  CheckpointFolder first = open();
  CHECK_THROWS_AS(open(), Error);
}

TEST_CASE_FIXTURE(CheckpointFixture, "checkpoint: files left behind by a killed run are removed") {
  { open().save(state_at(10)); }
  std::ofstream(folder.path() / "ck/step-0000000020.safetensors.tmp") << "half";
  CHECK(same(*open().load(), state_at(10)));
  CHECK(files() == 2);
}

TEST_CASE_FIXTURE(CheckpointFixture,
                  "checkpoint writer: writes the states as they were when they were passed to it, in order") {
  CheckpointFolder folder = open();
  CheckpointWriter writer(folder);
  CHECK_FALSE(writer.is_busy());
  State state = state_at(10);
  writer.begin(state);
  state = state_at(20);
  CHECK(writer.is_busy());
  const Saved saved = writer.finish();
  CHECK(saved.step == 10);
  CHECK(saved.updates == 9);
  CHECK(saved.file.filename() == "step-0000000010.safetensors");
  CHECK(same(*folder.load(), state_at(10)));
  CHECK_FALSE(writer.is_busy());
  writer.begin(state);
  writer.finish();
  CHECK(same(*folder.load(), state_at(20)));
}

TEST_CASE_FIXTURE(CheckpointFixture,
                  "checkpoint writer: begin() does not wait for a slow disk; finish() reports a failure") {
  CheckpointFolder checkpoints = open();
  CheckpointWriter writer(checkpoints);
  // Replaces the file by a pipe. Opening a pipe waits for a reader, and a pipe cannot be synced.
  const auto pipe = folder.path() / "ck/step-0000000010.safetensors.tmp";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  writer.begin(state_at(10));
  CHECK_FALSE(writer.is_done());
  std::ifstream reader(pipe);
  while (reader.get() != EOF) continue;
  CHECK_THROWS_AS(writer.finish(), Error);
  CHECK_FALSE(writer.is_busy());
}
