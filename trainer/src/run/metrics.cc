#include "run/metrics.h"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/error.h"

namespace trainer {

namespace {

constexpr int kSchema = 1;

double unix_seconds() {
  using namespace std::chrono;
  const auto now = duration_cast<milliseconds>(system_clock::now().time_since_epoch());
  return static_cast<double>(now.count()) / 1000;
}

}  // namespace

Metrics::Metrics(const std::string& file, std::string device) : name_(file), device_(std::move(device)) {
  if (file.empty()) return;
  fd_ = Fd(file == "-" ? dup(STDOUT_FILENO)
                       : open(file.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0644));
  if (fd_.get() < 0) throw Error("cannot write metrics to " + file, errno_text(errno));
  if (ends_within_line(fd_.get())) write_all(fd_.get(), "\n");
}

void Metrics::write(const char* event, const nlohmann::ordered_json& fields) {
  if (!enabled()) return;
  nlohmann::ordered_json line = {
      {"schema", kSchema}, {"event", event}, {"time", unix_seconds()}, {"device", device_}};
  line.update(fields);
  try {
    write_all(fd_.get(), line.dump() + "\n");
  } catch (const std::system_error& error) {
    throw Error("cannot write metrics to " + name_, errno_text(error.code().value()));
  }
}

}  // namespace trainer
