#pragma once

#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

namespace kml::pod {

/// A value in a pickle. Lists and dictionaries refer to values of the same Pickle. Several of them may refer
/// to the same value. In a hostile pickle, a value may even contain itself, so do not visit all values.
struct PickleValue {
  enum class Kind { none, boolean, integer, real, text, list, dictionary, function };

  Kind kind = Kind::none;
  std::int64_t integer = 0;  ///< used for a boolean, too
  double real = 0;
  std::string_view text = {};
  /// the items of a tuple or a list; for a dictionary, alternating keys and values
  std::vector<PickleValue*> items = {};

  /// The value for the key. Has the kind none if this value is not a dictionary, has more than 64 keys, or
  /// does not have this key.
  const PickleValue& at(std::string_view key) const;
};

/// Reads a pickle as plain data, without executing anything. Supports the opcodes with which PyTorch writes a
/// flight record (torch/csrc/jit/serialization/pickler.cpp), and those with which Python usually writes such
/// data (Lib/pickletools.py, protocols 2 to 5). Of the functions in a pickle, it only knows those of
/// torch.jit._pickle that return their first argument. The bytes must outlive this object.
class Pickle {
 public:
  /// Throws Error if the pickle is incomplete or contains anything else.
  explicit Pickle(std::string_view bytes);
  Pickle(const Pickle&) = delete;
  Pickle& operator=(const Pickle&) = delete;

  const PickleValue& root() const { return *root_; }

 private:
  std::deque<PickleValue> values_;
  const PickleValue* root_ = nullptr;
};

}  // namespace kml::pod
