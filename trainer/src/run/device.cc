#include "run/device.h"

#include "base/error.h"

namespace trainer {

Device choose_device(Device asked, const std::function<void(const std::string&)>& say) {
  if (asked == Device::cuda) {
    throw Error("--device=cuda", "this kml-trainer was built without CUDA", "pass --device=cpu, or auto", 2);
  }
  if (asked == Device::automatic) say("no CUDA in this build: training on the CPU");
  return Device::cpu;
}

std::string device_name(Device device) {
  return device == Device::cuda ? "cuda" : "cpu";
}

}  // namespace trainer
