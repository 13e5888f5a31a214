#include "checkpoint/checkpoint.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cinttypes>
#include <system_error>

#include "base/error.h"
#include "checkpoint/safetensors.h"

namespace trainer {

namespace fs = std::filesystem;

namespace {

constexpr size_t kKept = 2;
const char* const kSuffix = ".safetensors";
const std::pair<const char*, const char*> kFormat = {"format", "kml-trainer checkpoint 1"};

std::string step_name(uint64_t step) {
  char name[64];
  snprintf(name, sizeof name, "step-%010" PRIu64 "%s", step, kSuffix);
  return name;
}

std::string damage_text(const fs::path& file, const DamagedFile& damage) {
  return "checkpoint " + file.string() + " is damaged: " + damage.what() + "; trying the previous one";
}

std::string machine_text(const std::string& saved, const std::string& here) {
  return "the checkpoint was written on " + saved + ", but this machine is " + here +
         ": the last bits of the result may differ";
}

/// The value of a fact that older checkpoints do not contain.
std::string value_before(const std::string& key) {
  static const std::map<std::string, std::string> kValues = {{"model", "mlp"},
                                                             {"optimizer", "adam"},
                                                             {"schedule", "constant"},
                                                             {"evaluate-every", "10"},
                                                             {"shift", "0"}};
  const auto found = kValues.find(key);
  return found == kValues.end() ? "unknown" : found->second;
}

[[noreturn]] void refuse_other_run(const fs::path& file, const std::string& key, const std::string& saved,
                                   const std::string& here) {
  throw Error("cannot resume from " + file.string(),
              "it belongs to another run: its " + key + " is " + saved + ", this run's is " + here,
              "use the same flags and data, or another --checkpoint-dir");
}

uint64_t whole_number(const std::map<std::string, std::string>& metadata, const char* key) {
  const auto found = metadata.find(key);
  uint64_t value = 0;
  if (found == metadata.end() || sscanf(found->second.c_str(), "%" SCNu64, &value) != 1) {
    throw DamagedFile(std::string("its metadata has no whole number \"") + key + "\"");
  }
  return value;
}

}  // namespace

CheckpointFolder::CheckpointFolder(fs::path folder, std::map<std::string, std::string> identity,
                                   StateLayout layout, Say say)
    : folder_(std::move(folder)),
      identity_(std::move(identity)),
      layout_(std::move(layout)),
      say_(std::move(say)) {
  const std::string what = "cannot keep checkpoints in " + folder_.string();
  std::error_code failure;
  fs::create_directories(folder_, failure);
  if (failure) throw Error(what, errno_text(failure.value()));
  lock_ = Fd(open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (lock_.get() < 0) throw Error(what, errno_text(errno));
  if (flock(lock_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw Error(what, "another kml-trainer is using the folder",
                "wait until it ends, or give each run its own folder");
  }
  for (const auto& entry :
       fs::directory_iterator(folder_)) {  // the entry may be an incomplete file of a killed run
    if (entry.path().extension() == ".tmp") fs::remove(entry.path(), failure);
  }
}

std::vector<fs::path> CheckpointFolder::files() const {
  std::vector<fs::path> result;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("step-") && name.ends_with(kSuffix)) result.push_back(entry.path());
  }
  std::sort(result.rbegin(), result.rend());  // the newest first; all names have the same length
  return result;
}

std::optional<State> CheckpointFolder::load() {
  for (const fs::path& file : files()) {
    try {
      return read(file);
    } catch (const DamagedFile& damage) {
      say_(damage_text(file, damage));
      fs::rename(file, file.string() + ".damaged");
    } catch (const std::system_error& error) {
      throw Error(std::string("cannot read checkpoint ").append(file), errno_text(error.code().value()));
    }
  }
  return std::nullopt;
}

void CheckpointFolder::check_identity(const fs::path& file,
                                      const std::map<std::string, std::string>& metadata) const {
  for (const auto& [key, value] : identity_) {
    const auto found = metadata.find(key);
    const std::string saved = found == metadata.end() ? value_before(key) : found->second;
    if (saved == value) continue;
    if (key != "machine") refuse_other_run(file, key, saved, value);
    say_(machine_text(saved, value));
  }
}

State CheckpointFolder::read(const fs::path& file) const {
  const std::vector<uint8_t> bytes = read_file(file);
  const TensorFile content = parse_tensors(bytes);
  if (!content.metadata.contains(kFormat.first) || content.metadata.at(kFormat.first) != kFormat.second) {
    throw Error("cannot resume from " + file.string(), "this version does not know its format",
                "use another --checkpoint-dir");
  }
  check_identity(file, content.metadata);

  State state;
  state.step = whole_number(content.metadata, "step");
  state.updates = whole_number(content.metadata, "updates");
  const auto read_array = [&](const std::string& prefix) {
    std::vector<Real> array(layout_.tensors.back().offset + layout_.tensors.back().size);
    for (const Tensor& tensor : layout_.tensors) {
      const auto found = content.tensors.find(prefix + tensor.name);
      if (found == content.tensors.end() || found->second.shape != tensor.shape) {
        throw DamagedFile("tensor " + (prefix + tensor.name) + " is missing or has the wrong shape");
      }
      std::copy(found->second.values.begin(), found->second.values.end(), &array[tensor.offset]);
    }
    return array;
  };
  state.parameters = read_array("");
  for (const std::string& moment : layout_.moments) state.moments.push_back(read_array(moment + "."));
  return state;
}

fs::path CheckpointFolder::save(const State& state) {
  std::map<std::string, std::string> metadata = identity_;
  metadata.insert(kFormat);
  metadata["step"] = std::to_string(state.step);
  metadata["updates"] = std::to_string(state.updates);
  std::vector<TensorView> views;
  const auto add_array = [&](const std::string& prefix, std::span<const Real> array) {
    for (const Tensor& tensor : layout_.tensors) {
      views.push_back({prefix + tensor.name, tensor.shape, array.subspan(tensor.offset, tensor.size)});
    }
  };
  add_array("", state.parameters);
  for (size_t i = 0; i < layout_.moments.size(); ++i) add_array(layout_.moments[i] + ".", state.moments[i]);
  fs::path file = folder_ / step_name(state.step);
  try {
    replace_file(file, serialize(std::move(metadata), views));
    replace_file(folder_ / "LATEST", file.filename().string() + "\n");
  } catch (const std::system_error& error) {
    throw Error("cannot write checkpoint " + file.string(), errno_text(error.code().value()),
                "make the folder writable, with free space, and start again: the run resumes from the last "
                "complete checkpoint");
  }
  const std::vector<fs::path> all = files();
  std::error_code ignored;  // if removing fails, an extra checkpoint does no harm
  for (size_t i = kKept; i < all.size(); ++i) fs::remove(all[i], ignored);
  return file;
}

}  // namespace trainer
