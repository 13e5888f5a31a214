#include "checkpoint/safetensors.h"

#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/md5.h"

namespace trainer {

namespace {

using nlohmann::json;

static_assert(std::endian::native == std::endian::little, "tensors are copied as they are in memory");

const std::string kType = sizeof(Real) == 4 ? "F32" : "F64";
const std::string kMd5Entry = "\"md5\":\"";
const std::string kNoMd5(32, '0');

/// The md5 of `bytes`, with the 32 digits at `digits` replaced by zeros.
std::string md5_without(std::string_view bytes, size_t digits) {
  Md5 md5;
  md5.update(bytes.data(), digits);
  md5.update(kNoMd5.data(), kNoMd5.size());
  md5.update(bytes.data() + digits + 32, bytes.size() - digits - 32);
  return md5.hex();
}

size_t checked_size(const std::vector<size_t>& shape) {
  size_t size = 1;
  for (size_t extent : shape) {
    if (__builtin_mul_overflow(size, extent, &size)) throw DamagedFile("a tensor's shape is too large");
  }
  return size;
}

/// Adds the tensors in the header. Their data begin at `data`.
void read_tensors(const json& header, std::string_view data, TensorFile& file) {
  if (data.size() % sizeof(Real) != 0)
    throw DamagedFile("the size of the data is not a whole number of values");
  file.storage.resize(data.size() / sizeof(Real));
  std::memcpy(file.storage.data(), data.data(), data.size());
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    if (entry.at("dtype") != kType) throw DamagedFile("tensor " + name + " is not of dtype " + kType);
    TensorView tensor{name, entry.at("shape"), {}};
    const size_t begin = entry.at("data_offsets").at(0), end = entry.at("data_offsets").at(1);
    if (begin > end || end > data.size() || begin % sizeof(Real) != 0 ||
        (end - begin) / sizeof(Real) != checked_size(tensor.shape)) {
      throw DamagedFile("tensor " + name + " does not lie within the file");
    }
    tensor.values = std::span(file.storage).subspan(begin / sizeof(Real), (end - begin) / sizeof(Real));
    file.tensors.emplace(name, std::move(tensor));
  }
}

}  // namespace

std::string serialize(std::map<std::string, std::string> metadata, std::span<const TensorView> tensors) {
  metadata["md5"] = kNoMd5;
  json header;
  header["__metadata__"] = metadata;
  size_t offset = 0;
  for (const TensorView& tensor : tensors) {
    const size_t end = offset + tensor.values.size_bytes();
    header[tensor.name] = {{"dtype", kType}, {"shape", tensor.shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');  // the format requires aligned data

  const uint64_t length = text.size();
  std::string file(reinterpret_cast<const char*>(&length), sizeof length);
  file.reserve(file.size() + text.size() + offset);
  file += text;
  for (const TensorView& tensor : tensors) {
    file.append(reinterpret_cast<const char*>(tensor.values.data()), tensor.values.size_bytes());
  }
  const size_t digits = file.find(kMd5Entry + kNoMd5) + kMd5Entry.size();
  file.replace(digits, 32, md5_without(file, digits));
  return file;
}

TensorFile parse_tensors(std::span<const uint8_t> bytes) try {
  const std::string_view file(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  uint64_t length = 0;
  if (file.size() < sizeof length) throw DamagedFile("it is cut short");
  std::memcpy(&length, file.data(), sizeof length);
  if (length > file.size() - sizeof length) throw DamagedFile("it is cut short");
  const std::string_view text = file.substr(sizeof length, length);
  const json header = json::parse(text);

  TensorFile result;
  result.metadata = header.at("__metadata__").get<std::map<std::string, std::string>>();
  const size_t digits = file.find(kMd5Entry) + kMd5Entry.size();
  if (result.metadata.at("md5").size() != 32 || digits + 32 > sizeof length + length ||
      md5_without(file, digits) != result.metadata["md5"]) {
    throw DamagedFile("its content does not match the md5 in its header");
  }
  read_tensors(header, file.substr(sizeof length + length), result);
  return result;
} catch (const json::exception& error) {
  throw DamagedFile(std::string("its header cannot be read: ") + error.what());
} catch (const std::out_of_range&) {
  throw DamagedFile("its header has no md5");
}

}  // namespace trainer
