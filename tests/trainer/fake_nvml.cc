// The part of NVIDIA's management library that the trainer uses, with one GPU.
#include <cstring>

struct Utilization {
  unsigned gpu, memory;
};
struct Memory {
  unsigned long long total, free, used;
};
static int device;

extern "C" int nvmlInit_v2() {
  return 0;
}
extern "C" int nvmlShutdown() {
  return 0;
}
extern "C" int nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, void** handle) {
  *handle = &device;
  return std::strcmp(bus_id, "0000:1b:00.0") == 0 ? 0 : 6;  // NVML_ERROR_NOT_FOUND
}
extern "C" int nvmlDeviceGetUtilizationRates(void* handle, Utilization* utilization) {
  *utilization = {73, 11};
  return handle == &device ? 0 : 2;
}
extern "C" int nvmlDeviceGetMemoryInfo(void* handle, Memory* memory) {
  *memory = {80, 60, 20};
  return handle == &device ? 0 : 2;
}
