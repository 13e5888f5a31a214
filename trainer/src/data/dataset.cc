#include "data/dataset.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/md5.h"

namespace trainer {

namespace {

/// The names of the four files, in the order of KnownSet::md5.
constexpr std::array<const char*, 4> kFiles = {"train-images-idx3-ubyte", "train-labels-idx1-ubyte",
                                               "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"};

struct KnownSet {
  const char* name;
  Verify verify;                   ///< the option that requires this set
  const char* obtain;              ///< the command that downloads the set
  std::array<const char*, 4> md5;  ///< md5 of the uncompressed files
};

constexpr std::array<KnownSet, 2> kSets = {
    {{"MNIST",
      Verify::mnist,
      "trainer/get-mnist FOLDER",
      {"6bbc9ace898e44ae57da46a324031adb", "a25bea736e30d166cdddb491f175f624",
       "2646ac647ad5339dbf082846283269ea", "27ae3e4e09519cfbb04c329615203637"}},
     {"Fashion-MNIST",
      Verify::fashion_mnist,
      "trainer/get-mnist --fashion FOLDER",
      {"f4a8712d7a061bf5bd6d2ca38dc4d50a", "9018921c3c673c538a1fc5bad174d6f9",
       "8181f5470baa50b63fa0f6fddb340f0a", "15d484375f8d13e6eb1aabb0c3f46965"}}}};

Part load_part(const std::filesystem::path& images, const std::filesystem::path& labels) {
  Part part{read_images(images), read_labels(labels)};
  if (part.images.count != part.labels.count) {
    throw Error("the data files do not match",
                images.string() + " holds " + std::to_string(part.images.count) + " images, " +
                    labels.string() + " " + std::to_string(part.labels.count) + " labels");
  }
  return part;
}

size_t known_files(const KnownSet& set, const std::array<std::string, 4>& digests) {
  size_t known = 0;
  for (size_t i = 0; i < digests.size(); ++i) known += digests[i] == set.md5[i];
  return known;
}

[[noreturn]] void not_of_set(const std::filesystem::path& folder, const std::array<std::string, 4>& digests,
                             const KnownSet& set) {
  const size_t known = known_files(set, digests);
  size_t i = 0;
  while (digests[i] == set.md5[i]) ++i;
  throw Error(
      (folder / kFiles[i]).string() + " is not the file of " + set.name,
      "its md5 is " + digests[i] + ", expected " + set.md5[i] +
          (known > 0 ? " (" + std::to_string(known) + " of the 4 files belong to " + set.name + ")" : ""),
      std::string(set.obtain) + " downloads the right files; for your own data, pass --verify=custom");
}

/// The name of the data set to which the files belong.
std::string verified_name(const std::filesystem::path& folder, const std::array<std::string, 4>& digests,
                          Verify verify) {
  for (const KnownSet& set : kSets) {
    const size_t known = known_files(set, digests);
    const bool wanted = verify == set.verify;
    if (known == digests.size() && (wanted || verify == Verify::automatic || verify == Verify::custom)) {
      return set.name;
    }
    if (wanted || (verify == Verify::automatic && known > 0)) not_of_set(folder, digests, set);
  }
  return "custom";
}

uint8_t largest_label(const Labels& labels) {
  return *std::max_element(labels.file.begin() + 8, labels.file.end());
}

/// If a label belongs to a class that no training example has, the file is damaged. Class 0 may be unused, as
/// in the letters of EMNIST.
void check_labels(const Labels& train, const std::filesystem::path& train_file, const Labels& test,
                  const std::filesystem::path& test_file) {
  std::array<bool, 256> is_taught{};
  for (uint32_t i = 0; i < train.count; ++i) is_taught[train[i]] = true;
  const auto refuse = [](const std::filesystem::path& file, int label, int untaught) {
    throw Error("cannot use " + file.string(),
                "it has the label " + std::to_string(label) + ", but no training example has the label " +
                    std::to_string(untaught),
                "give the classes consecutive numbers, and keep examples of each class for training");
  };
  const uint8_t largest = largest_label(train);
  for (uint8_t label = 1; label < largest; ++label)
    if (!is_taught[label]) refuse(train_file, largest, label);
  for (uint32_t i = 0; i < test.count; ++i)
    if (!is_taught[test[i]]) refuse(test_file, test[i], test[i]);
}

}  // namespace

Dataset load_dataset(const std::filesystem::path& folder, Verify verify, Parallel& parallel) {
  std::array<std::filesystem::path, 4> paths;
  for (size_t i = 0; i < 4; ++i) paths[i] = folder / kFiles[i];

  Dataset data;
  data.test = load_part(paths[2], paths[3]);
  data.train = load_part(paths[0], paths[1]);
  if (data.train.images.rows != data.test.images.rows ||
      data.train.images.columns != data.test.images.columns) {
    throw Error("the data files do not match",
                paths[0].string() + " and " + paths[2].string() + " have images of different sizes");
  }

  check_labels(data.train.labels, paths[1], data.test.labels, paths[3]);

  const std::array<const std::vector<uint8_t>*, 4> files = {&data.train.images.file, &data.train.labels.file,
                                                            &data.test.images.file, &data.test.labels.file};
  std::array<std::string, 4> digests;
  parallel.run(4, [&](size_t i) { digests[i] = md5_hex(files[i]->data(), files[i]->size()); });
  data.name = verified_name(folder, digests, verify);
  data.classes = std::max({2, largest_label(data.train.labels) + 1, largest_label(data.test.labels) + 1});
  Md5 all;
  for (const std::string& digest : digests) all.update(digest.data(), digest.size());
  data.md5 = all.hex();
  return data;
}

}  // namespace trainer
