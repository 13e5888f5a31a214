#include "serve/predictor.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>

#include "base/error.h"
#include "base/file.h"
#include "checkpoint/safetensors.h"
#include "model/cnn.h"
#include "model/mlp.h"

namespace trainer {

namespace fs = std::filesystem;

namespace {

const TensorView& tensor_in(const TensorFile& file, const std::string& name, size_t dimensions) {
  const auto found = file.tensors.find(name);
  if (found == file.tensors.end() || found->second.shape.size() != dimensions)
    throw DamagedFile("tensor " + name + " is missing or has the wrong shape");
  return found->second;
}

TensorFile read_newest(const fs::path& folder) {
  const std::string what = "cannot read a checkpoint in " + folder.string();
  try {
    std::vector<uint8_t> name = read_file(folder / "LATEST");
    while (!name.empty() && name.back() == '\n') name.pop_back();
    return parse_tensors(read_file(folder / std::string(name.begin(), name.end())));
  } catch (const std::system_error& error) {
    throw Error(what, errno_text(error.code().value()), "pass the folder of the training's --checkpoint-dir");
  } catch (const DamagedFile& damage) {
    throw Error(what, damage.what());
  }
}

/// The side of the square pictures for a layer with that many inputs.
uint32_t side_of(size_t values) {
  return static_cast<uint32_t>(std::lround(std::sqrt(static_cast<double>(values))));
}

/// The MLP has only the number of pixels. The CNN's pictures are square, and their sides are even: a pooled
/// plane has (side - 4) / 2 rows.
Shape shape_of(const TensorFile& file, bool is_cnn) {
  const size_t inputs = tensor_in(file, "hidden.weight", 2).shape[0];
  const auto classes = static_cast<uint32_t>(tensor_in(file, "output.bias", 1).shape[0]);
  if (!is_cnn) return {1, static_cast<uint32_t>(inputs), classes};
  const uint32_t side = 2 * side_of(inputs / Cnn::kSecondPlanes) + 4;
  return {side, side, classes};
}

}  // namespace

Predictor::Predictor(const fs::path& folder) try {
  const TensorFile file = read_newest(folder);
  const auto kind = file.metadata.find("model");
  const bool is_cnn = kind != file.metadata.end() && kind->second == "cnn";
  shape_ = shape_of(file, is_cnn);
  const auto hidden = static_cast<uint32_t>(tensor_in(file, "hidden.bias", 1).shape[0]);
  if (is_cnn)
    model_ = std::make_unique<Cnn>(shape_, hidden, Real{1}, 1, parallel_);
  else
    model_ = std::make_unique<Mlp>(shape_, hidden, Real{1}, 1, parallel_);
  parameters_.resize(model_->parameter_count());
  for (const Tensor& tensor : model_->tensors()) {
    const TensorView& saved = tensor_in(file, tensor.name, tensor.shape.size());
    if (saved.shape != tensor.shape) throw DamagedFile("tensor " + tensor.name + " has the wrong shape");
    std::copy(saved.values.begin(), saved.values.end(), &parameters_[tensor.offset]);
  }
} catch (const DamagedFile& damage) {
  throw Error("cannot use the checkpoint in " + folder.string(), damage.what());
}

std::vector<double> Predictor::probabilities(std::span<const uint8_t> picture) {
  const std::vector<Real> logits = model_->logits(parameters_, picture.data());
  const double largest = *std::max_element(logits.begin(), logits.end());
  std::vector<double> result;
  double sum = 0;
  for (const Real logit : logits) sum += result.emplace_back(std::exp(double{logit} - largest));
  for (double& value : result) value /= sum;
  return result;
}

std::vector<uint8_t> picture_of(std::span<const uint8_t> file, uint32_t pixels) {
  const auto refuse = [&](const std::string& why) {
    throw Error("not a picture for this network", why,
                "send a PGM file (P5), or " + std::to_string(pixels) + " bytes, one for each pixel", 2);
  };
  if (file.size() == pixels) return {file.begin(), file.end()};
  std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (!text.starts_with("P5")) refuse("it has " + std::to_string(file.size()) + " bytes");
  text.remove_prefix(2);
  unsigned long numbers[3];  // width, height, largest value
  for (unsigned long& number : numbers) {
    while (!text.empty() && (isspace(static_cast<unsigned char>(text[0])) || text[0] == '#'))
      text.remove_prefix(text[0] == '#' ? std::min(text.find('\n'), text.size()) : 1);
    size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    if (digits == 0 || digits > 6) refuse("its header is damaged");
    number = std::strtoul(std::string(text.substr(0, digits)).c_str(), nullptr, 10);
    text.remove_prefix(digits);
  }
  if (numbers[0] * numbers[1] != pixels || numbers[2] != 255)
    refuse("it has " + std::to_string(numbers[0]) + " x " + std::to_string(numbers[1]) +
           " pixels of at most " + std::to_string(numbers[2]));
  if (text.size() != size_t{pixels} + 1) refuse("its pixels are cut off, or something follows them");
  return {file.end() - pixels, file.end()};
}

std::string prediction_line(std::span<const double> probabilities) {
  const auto best = std::max_element(probabilities.begin(), probabilities.end());
  const auto number = [](double value) {
    char text[32];
    snprintf(text, sizeof text, "%.4f", value);
    return std::string(text);
  };
  std::string line = "{\"class\":" + std::to_string(best - probabilities.begin()) +
                     ",\"probability\":" + number(*best) + ",\"probabilities\":[";
  for (const double probability : probabilities) line += number(probability) + ",";
  line.back() = ']';
  return line + "}";
}

}  // namespace trainer
