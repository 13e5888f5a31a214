#include "model/schedule.h"

#include <cmath>
#include <numbers>

namespace trainer {

double Schedule::at(uint64_t number) const {
  if (number <= warm_up) return rate * static_cast<double>(number) / static_cast<double>(warm_up);
  const uint64_t done = number - 1;
  switch (kind) {
    case Kind::constant: return rate;
    case Kind::cosine: {
      if (done >= updates) return 0;
      const double share = static_cast<double>(done - warm_up) / static_cast<double>(updates - warm_up);
      return rate * (1 + std::cos(std::numbers::pi * share)) / 2;
    }
    case Kind::step: return done * 4 >= updates * 3 ? rate / 100 : done * 2 >= updates ? rate / 10 : rate;
  }
  return rate;
}

}  // namespace trainer
