#pragma once

#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

namespace kml::pod {

/// A value of a pickle. Lists and dictionaries refer to values of the same Pickle, which may share them, and
/// in a hostile pickle even contain themselves: do not walk through all of them.
struct PickleValue {
  enum class Kind { none, boolean, integer, real, text, list, dictionary, function };

  Kind kind = Kind::none;
  std::int64_t integer = 0;  ///< also of a boolean
  double real = 0;
  std::string_view text = {};
  std::vector<PickleValue*> items = {};  ///< of a tuple or a list; of a dictionary, keys and values in turn

  /// The value of the key. Of kind none if this is not a dictionary, has more than 64 keys, or not this one.
  const PickleValue& at(std::string_view key) const;
};

/// Reads a pickle as plain data, and runs nothing: it understands the opcodes that PyTorch's writer uses
/// (torch/csrc/jit/serialization/pickler.cpp) and Python's for plain data (Lib/pickletools.py), up to
/// protocol
/// 5. Of the functions that a pickle may name, it knows only those of torch.jit._pickle that return their
/// first argument. The bytes must outlive the object.
class Pickle {
 public:
  /// Throws Error if the pickle is cut off or has anything else.
  explicit Pickle(std::string_view bytes);
  Pickle(const Pickle&) = delete;
  Pickle& operator=(const Pickle&) = delete;

  const PickleValue& root() const { return *root_; }

 private:
  std::deque<PickleValue> values_;
  const PickleValue* root_ = nullptr;
};

}  // namespace kml::pod
