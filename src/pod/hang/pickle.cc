#include "pod/hang/pickle.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>

#include "kml/base/error.h"
#include "kml/base/little_endian.h"

namespace kml::pod {

namespace {

using Kind = PickleValue::Kind;

/// The maximum number of keys in a dictionary that is searched. Searching would take too long if a list
/// referred to one large dictionary many times.
constexpr size_t kMostKeys = 64;

[[noreturn]] void bad_pickle(const std::string& why) {
  throw Error(ErrorCode::failure, "cannot read the pickle", why);
}

/// Opcodes with the names from Lib/pickletools.py.
enum Opcode : unsigned char {
  kMark = '(',
  kStop = '.',
  kBinFloat = 'G',
  kBinInt = 'J',
  kBinInt1 = 'K',
  kBinInt2 = 'M',
  kNone = 'N',
  kReduce = 'R',
  kBinUnicode = 'X',
  kEmptyList = ']',
  kAppend = 'a',
  kGlobal = 'c',
  kAppends = 'e',
  kBinGet = 'h',
  kLongBinGet = 'j',
  kBinPut = 'q',
  kLongBinPut = 'r',
  kSetItem = 's',
  kTuple = 't',
  kSetItems = 'u',
  kEmptyDict = '}',
  kEmptyTuple = ')',
  kProto = 0x80,
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kNewTrue = 0x88,
  kNewFalse = 0x89,
  kLong1 = 0x8a,
  kShortBinUnicode = 0x8c,
  kMemoize = 0x94,
  kFrame = 0x95,
};

/// The stack machine that interprets a pickle.
class PickleReader {
 public:
  PickleReader(std::string_view bytes, std::deque<PickleValue>& values) : bytes_(bytes), values_(values) {}

  const PickleValue* read() {
    while (true) {
      const auto opcode = static_cast<unsigned char>(take(1)[0]);
      if (opcode == kStop) return pop();
      run(opcode);
    }
  }

 private:
  std::string_view take(size_t count) {
    if (count > bytes_.size() - at_) bad_pickle("it is cut off");
    at_ += count;
    return bytes_.substr(at_ - count, count);
  }
  std::uint64_t number(size_t size) { return little_endian(take(size)); }
  std::int64_t signed_number(size_t size) {
    if (size == 0) return 0;
    if (size > sizeof(std::int64_t)) bad_pickle("it has a number of more than 64 bits");
    const auto shift = static_cast<int>(8 * (sizeof(std::int64_t) - size));
    return static_cast<std::int64_t>(number(size) << shift) >> shift;
  }
  double real() {
    std::uint64_t bits = 0;
    for (const char byte : take(sizeof bits)) bits = bits << 8 | static_cast<unsigned char>(byte);
    return std::bit_cast<double>(bits);
  }
  std::string_view line() {
    const size_t end = bytes_.find('\n', at_);
    if (end == std::string_view::npos) bad_pickle("it is cut off");
    const std::string_view text = take(end - at_);
    at_ += 1;
    return text;
  }

  void push(PickleValue value) { stack_.push_back(&values_.emplace_back(std::move(value))); }
  PickleValue* top() {
    if (stack_.empty() || !stack_.back()) bad_pickle("a value is missing");
    return stack_.back();
  }
  PickleValue* pop() {
    PickleValue* value = top();
    stack_.pop_back();
    return value;
  }
  std::vector<PickleValue*> pop_some(size_t count) {
    std::vector<PickleValue*> items(count);
    while (count > 0) items[--count] = pop();
    return items;
  }
  std::vector<PickleValue*> pop_to_mark() {
    size_t count = 0;
    while (count < stack_.size() && stack_[stack_.size() - 1 - count]) ++count;
    if (count == stack_.size()) bad_pickle("a mark is missing");
    std::vector<PickleValue*> items = pop_some(count);
    stack_.pop_back();
    return items;
  }
  void add(const std::vector<PickleValue*>& items, Kind kind) {
    PickleValue& to = *top();
    if (to.kind != kind || (kind == Kind::dictionary && items.size() % 2 != 0))
      bad_pickle("it adds to something other than a list or a dictionary");
    to.items.insert(to.items.end(), items.begin(), items.end());
  }
  void put(std::uint64_t place) { memo_[place] = top(); }
  void get(std::uint64_t place) {
    const auto found = memo_.find(place);
    if (found == memo_.end()) bad_pickle("it refers to a value that it does not have");
    stack_.push_back(found->second);
  }

  void name_function();
  void call_function();
  void run(unsigned char opcode);

  std::string_view bytes_;
  size_t at_ = 0;
  std::deque<PickleValue>& values_;
  std::vector<PickleValue*> stack_;  ///< null: a mark
  std::unordered_map<std::uint64_t, PickleValue*> memo_;
};

void PickleReader::name_function() {
  constexpr std::array<std::string_view, 4> kKnown = {"restore_type_tag", "build_intlist", "build_doublelist",
                                                      "build_boollist"};
  const std::string_view module = line(), name = line();
  bool is_known = false;
  for (const std::string_view known : kKnown) is_known |= module == "torch.jit._pickle" && name == known;
  if (!is_known) bad_pickle("it refers to a function, and kml runs none");
  push({.kind = Kind::function});
}

void PickleReader::call_function() {
  const PickleValue* arguments = pop();
  const PickleValue* function = pop();
  if (function->kind != Kind::function || arguments->kind != Kind::list || arguments->items.empty())
    bad_pickle("it calls something that is not a function");
  stack_.push_back(arguments->items[0]);
}

void PickleReader::run(unsigned char opcode) {
  switch (opcode) {
    case kProto: take(1); return;
    case kFrame: take(8); return;
    case kMark: stack_.push_back(nullptr); return;
    case kNone: return push({});
    case kNewTrue: return push({.kind = Kind::boolean, .integer = 1});
    case kNewFalse: return push({.kind = Kind::boolean});
    case kBinInt: return push({.kind = Kind::integer, .integer = signed_number(4)});
    case kBinInt1: return push({.kind = Kind::integer, .integer = static_cast<std::int64_t>(number(1))});
    case kBinInt2: return push({.kind = Kind::integer, .integer = static_cast<std::int64_t>(number(2))});
    case kLong1: return push({.kind = Kind::integer, .integer = signed_number(number(1))});
    case kBinFloat: return push({.kind = Kind::real, .real = real()});
    case kShortBinUnicode: return push({.kind = Kind::text, .text = take(number(1))});
    case kBinUnicode: return push({.kind = Kind::text, .text = take(number(4))});
    case kEmptyList:
    case kEmptyTuple: return push({.kind = Kind::list});
    case kEmptyDict: return push({.kind = Kind::dictionary});
    case kTuple: return push({.kind = Kind::list, .items = pop_to_mark()});
    case kTuple1:
    case kTuple2:
    case kTuple3: return push({.kind = Kind::list, .items = pop_some(size_t{opcode} - kTuple1 + 1)});
    case kAppend: return add(pop_some(1), Kind::list);
    case kAppends: return add(pop_to_mark(), Kind::list);
    case kSetItem: return add(pop_some(2), Kind::dictionary);
    case kSetItems: return add(pop_to_mark(), Kind::dictionary);
    case kBinPut: return put(number(1));
    case kLongBinPut: return put(number(4));
    case kMemoize: return put(memo_.size());
    case kBinGet: return get(number(1));
    case kLongBinGet: return get(number(4));
    case kGlobal: return name_function();
    case kReduce: return call_function();
    default: bad_pickle(fmt::format("kml does not know its opcode 0x{:02x}", opcode));
  }
}

}  // namespace

const PickleValue& PickleValue::at(std::string_view key) const {
  static const PickleValue kMissing;
  if (kind != Kind::dictionary || items.size() > 2 * kMostKeys) return kMissing;
  // If keys are equal, Python keeps the last one.
  for (size_t i = items.size(); i >= 2; i -= 2)
    if (items[i - 2]->kind == Kind::text && items[i - 2]->text == key) return *items[i - 1];
  return kMissing;
}

Pickle::Pickle(std::string_view bytes) {
  root_ = PickleReader(bytes, values_).read();
}

}  // namespace kml::pod
