#include "run/device.h"

#include "base/error.h"
#include "cuda/backend.h"

namespace trainer {

ChosenDevice choose_device(Device asked, unsigned local_rank,
                           const std::function<void(const std::string&)>& say) {
  if (asked == Device::cpu) return {};
  const cuda::Gpu gpu = cuda::choose_gpu(local_rank);
  if (!gpu.name.empty()) return {Device::cuda, gpu.name, gpu.block_shared};
  if (asked == Device::cuda) throw Error("--device=cuda: no usable GPU", gpu.why, gpu.fix);
  say("training on the CPU: " + gpu.why);
  return {};
}

std::string device_name(Device device) {
  return device == Device::cuda ? "cuda" : "cpu";
}

}  // namespace trainer
