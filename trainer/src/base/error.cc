#include "base/error.h"

#include <cstring>

namespace trainer {

std::string errno_text(int error_number) {
  std::string text = strerrordesc_np(error_number) ? strerrordesc_np(error_number) : "unknown error";
  if (const char* name = strerrorname_np(error_number)) text += std::string(" (") + name + ")";
  return text;
}

}  // namespace trainer
