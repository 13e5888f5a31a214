#include <algorithm>
#include <array>

#include "kml/base/text.h"
#include "pod/hang/deadlock.h"
#include "pod/hang/rank_state.h"

namespace kml::pod {

namespace {

/// A frame that shows what a program waits for. The names and files are from PyTorch (torch/distributed,
/// torch/utils/data, torch/serialization.py, torch/_inductor), JAX, TensorFlow and Python's standard library.
struct Telling {
  std::string_view function;  ///< the name after the last dot; empty means any
  std::string_view file;      ///< a part of the path of the source file; empty means any
  Doing doing;
  bool is_saving = false, is_compiling = false;
};

constexpr Telling kTelling[] = {
    {"all_reduce", "", Doing::collective},
    {"allreduce", "", Doing::collective},
    {"all_gather", "", Doing::collective},
    {"allgather", "", Doing::collective},
    {"all_gather_into_tensor", "", Doing::collective},
    {"all_gather_object", "", Doing::collective},
    {"all_to_all", "", Doing::collective},
    {"all_to_all_single", "", Doing::collective},
    {"reduce_scatter", "", Doing::collective},
    {"reduce_scatter_tensor", "", Doing::collective},
    {"broadcast", "", Doing::collective},
    {"broadcast_object_list", "", Doing::collective},
    {"barrier", "", Doing::collective},
    {"monitored_barrier", "", Doing::collective},
    {"init_process_group", "", Doing::collective},
    {"", "distributed_c10d.py", Doing::collective},
    {"", "torch/distributed/rendezvous.py", Doing::collective},
    {"synchronize", "torch/cuda", Doing::collective},
    {"_next_data", "dataloader.py", Doing::input},
    {"_try_get_data", "dataloader.py", Doing::input},
    {"_get_data", "dataloader.py", Doing::input},
    {"__next__", "dataloader.py", Doing::input},
    {"__next__", "datasets/", Doing::input},
    {"__next__", "webdataset/", Doing::input},
    {"save", "torch/serialization.py", Doing::works, true},
    {"_save", "torch/serialization.py", Doing::works, true},
    {"save_file", "safetensors", Doing::works, true},
    {"save_checkpoint", "", Doing::works, true},
    {"save_state", "", Doing::works, true},
    {"save_pretrained", "", Doing::works, true},
    {"", "torch/distributed/checkpoint/", Doing::works, true},
    {"", "torch/_inductor/", Doing::works, false, true},
    {"", "torch/_dynamo/", Doing::works, false, true},
    {"", "triton/compiler/", Doing::works, false, true},
    {"", "torch/utils/cpp_extension.py", Doing::works, false, true},
    {"", "jax/_src/compiler.py", Doing::works, false, true},
};

/// Whether it is a loader's method, as in "DataLoader.__next__". For Python 3.11 and later, py-spy includes
/// the class.
bool is_loader(std::string_view function) {
  return function.ends_with(".__next__") && lower(function).find("loader") != std::string::npos;
}

const Telling* find_telling(const Frame& frame) {
  const std::string_view name = std::string_view(frame.function).substr(frame.function.rfind('.') + 1);
  const auto* found = std::find_if(std::begin(kTelling), std::end(kTelling), [&](const Telling& telling) {
    return (telling.function.empty() || telling.function == name) && contains(frame.file, telling.file);
  });
  return found == std::end(kTelling) ? nullptr : found;
}

}  // namespace

RankState told_by(const std::vector<Frame>& frames) {
  RankState state{.is_by_stack = true};
  for (const Frame& frame : frames) {
    const Telling* telling = find_telling(frame);
    if (!telling && !is_loader(frame.function)) continue;
    state.doing = telling ? telling->doing : Doing::input;
    state.where = in_source(frame);
    state.is_saving = telling && telling->is_saving;
    state.is_compiling = telling && telling->is_compiling;
    if (state.doing == Doing::collective)
      state.operation = frame.function.substr(frame.function.rfind('.') + 1);
    return state;
  }
  if (!frames.empty()) state.where = in_source(frames.front());
  return state;
}

}  // namespace kml::pod
