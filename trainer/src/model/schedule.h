#pragma once

#include <cstdint>

namespace trainer {

/// The learning rate of each update: a function of its number alone, so that a resumed run needs no state.
struct Schedule {
  enum class Kind {
    constant,
    cosine,  ///< half a cosine from the rate to 0: Loshchilov and Hutter, "SGDR", 2017, without restarts
    step,    ///< a tenth from half of the updates on, a hundredth from three quarters on: He et al., "Deep
             ///< residual learning", 2016, section 4.2
  };

  Kind kind = Kind::constant;
  double rate = 0;
  uint64_t warm_up = 0;  ///< the rate rises linearly over so many updates: Goyal et al., "Accurate, large
                         ///< minibatch SGD", 2017
  uint64_t updates = 0;  ///< over how many `cosine` and `step` go, the warm-up included; then they stay

  /// Of update `number`; the first is 1.
  double at(uint64_t number) const;
};

}  // namespace trainer
