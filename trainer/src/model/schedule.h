#pragma once

#include <cstdint>

namespace trainer {

/// The learning rate of each update. It depends only on the update's number, so a resumed run needs no state.
struct Schedule {
  enum class Kind {
    constant,
    /// falls from the rate to 0 like half a cosine: Loshchilov and Hutter, "SGDR", 2017, without restarts
    cosine,
    /// Falls to a tenth of the rate after half of the updates, and to a hundredth after three quarters: He et
    /// al., "Deep residual learning", 2016, section 4.2.
    step,
  };

  Kind kind = Kind::constant;
  double rate = 0;
  /// The rate rises linearly over this number of updates: Goyal et al., "Accurate, large minibatch SGD",
  /// 2017.
  uint64_t warm_up = 0;
  /// the number of updates of `cosine` and `step`, including the warm-up; after that, the rate is constant
  uint64_t updates = 0;

  /// The rate of update `number`, counted from 1.
  double at(uint64_t number) const;
};

}  // namespace trainer
