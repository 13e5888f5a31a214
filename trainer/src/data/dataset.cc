#include "data/dataset.h"

#include <array>

#include "base/error.h"
#include "base/md5.h"

namespace trainer {

namespace {

struct KnownFile {
  const char* name;
  const char* md5;
};

constexpr std::array<KnownFile, 4> kMnist = {
    {{"train-images-idx3-ubyte", "6bbc9ace898e44ae57da46a324031adb"},
     {"train-labels-idx1-ubyte", "a25bea736e30d166cdddb491f175f624"},
     {"t10k-images-idx3-ubyte", "2646ac647ad5339dbf082846283269ea"},
     {"t10k-labels-idx1-ubyte", "27ae3e4e09519cfbb04c329615203637"}}};

Part load_part(const std::filesystem::path& images, const std::filesystem::path& labels) {
  Part part{read_images(images), read_labels(labels)};
  if (part.images.count != part.labels.count) {
    throw Error("the data do not fit together",
                images.string() + " holds " + std::to_string(part.images.count) + " images, " +
                    labels.string() + " " + std::to_string(part.labels.count) + " labels");
  }
  return part;
}

void verify_digests(const std::filesystem::path& folder, const std::array<std::string, 4>& digests,
                    Verify verify, Dataset& data) {
  size_t known = 0;
  for (size_t i = 0; i < 4; ++i) known += digests[i] == kMnist[i].md5;
  data.name = known == 4 ? "MNIST" : "custom";
  if (known == 4 || verify == Verify::custom || (known == 0 && verify == Verify::automatic)) return;
  for (size_t i = 0; i < 4; ++i) {
    if (digests[i] == kMnist[i].md5) continue;
    throw Error(
        (folder / kMnist[i].name).string() + " is not MNIST's file",
        "its md5 is " + digests[i] + ", expected " + kMnist[i].md5 +
            (known > 0 ? " (" + std::to_string(known) + " of the 4 files are MNIST's)" : ""),
        "trainer/get-mnist FOLDER obtains the right files; for data of your own pass --verify=custom");
  }
}

}  // namespace

Dataset load_dataset(const std::filesystem::path& folder, Verify verify, Parallel& parallel) {
  std::array<std::filesystem::path, 4> paths;
  for (size_t i = 0; i < 4; ++i) paths[i] = folder / kMnist[i].name;

  Dataset data;
  data.test = load_part(paths[2], paths[3]);
  data.train = load_part(paths[0], paths[1]);
  if (data.train.images.rows != data.test.images.rows ||
      data.train.images.columns != data.test.images.columns) {
    throw Error("the data do not fit together",
                paths[0].string() + " and " + paths[2].string() + " hold images of different sizes");
  }

  const std::array<const std::vector<uint8_t>*, 4> files = {&data.train.images.file, &data.train.labels.file,
                                                            &data.test.images.file, &data.test.labels.file};
  std::array<std::string, 4> digests;
  parallel.run(4, [&](size_t i) { digests[i] = md5_hex(files[i]->data(), files[i]->size()); });
  verify_digests(folder, digests, verify, data);
  Md5 all;
  for (const std::string& digest : digests) all.update(digest.data(), digest.size());
  data.md5 = all.hex();
  return data;
}

}  // namespace trainer
