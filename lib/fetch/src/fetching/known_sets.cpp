// The datasets that Octavo knows: their files and where they are published.
//
// MD5: from the publishers if they list them (Fashion-MNIST, CIFAR), else from torchvision.datasets. Lengths and
// SHA-256: from tensorflow_datasets/url_checksums. Both were taken from the sources of those projects.
#include <octavo/errors.hpp>
#include <octavo/fetch.hpp>
#include <octavo/spelling.hpp>

namespace octavo {
namespace {

// The four files of MNIST and of the datasets with the same layout.
constexpr const char* kTrainImages = "train-images-idx3-ubyte.gz";
constexpr const char* kTrainLabels = "train-labels-idx1-ubyte.gz";
constexpr const char* kTestImages = "t10k-images-idx3-ubyte.gz";
constexpr const char* kTestLabels = "t10k-labels-idx1-ubyte.gz";

constexpr const char* kNoLicense = "none stated; the authors ask for a citation";

RemoteSet mnist() {
  return {
      .name = "mnist",
      .files = {{kTrainImages, 9'912'422, "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
                 "f68b3c2dcbeaaa9fbdd348bbdeb94873"},
                {kTrainLabels, 28'881, "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
                 "d53e105ee54ea40749a09fcbcd1e9432"},
                {kTestImages, 1'648'877, "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
                 "9fb629c4189551a2d022fa330f9573f3"},
                {kTestLabels, 4'542, "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
                 "ec29112dd5afa0611ce80d1b7f02629c"}},
      // The publisher's own host, the last one, has not served the files reliably for years.
      .mirrors = {"https://ossci-datasets.s3.amazonaws.com/mnist/",
                  "https://storage.googleapis.com/cvdf-datasets/mnist/", "http://yann.lecun.com/exdb/mnist/"},
      .title = "MNIST",
      .content = "60,000 + 10,000, 28x28 gray, 10 classes",
      .license = "CC BY-SA 3.0",
      .page = "http://yann.lecun.com/exdb/mnist/",
  };
}

RemoteSet fashion_mnist() {
  return {
      .name = "fashion-mnist",
      .files = {{kTrainImages, 26'421'880, "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84",
                 "8d4fb7e6c68d591d4c3dfef9ec88bf0d"},
                {kTrainLabels, 29'515, "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845",
                 "25c81989df183df01b3e8a0aad5dffbe"},
                {kTestImages, 4'422'102, "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073",
                 "bef4ecab320f06d8554ea6380940ec79"},
                {kTestLabels, 5'148, "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5",
                 "bb300cfdad3c16e7a12a480ee83cd310"}},
      // The publisher's repository holds the same files.
      .mirrors = {"http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
                  "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion/"},
      .title = "Fashion-MNIST",
      .content = "60,000 + 10,000, 28x28 gray, 10 classes",
      .license = "MIT",
      .page = "https://github.com/zalandoresearch/fashion-mnist",
  };
}

RemoteSet kmnist() {
  return {
      .name = "kmnist",
      .files = {{kTrainImages, 18'165'135, "51467d22d8cc72929e2a028a0428f2086b092bb31cfb79c69cc0a90ce135fde4",
                 "bdb82020997e1d708af4cf47b453dcf7"},
                {kTrainLabels, 29'497, "e38f9ebcd0f3ebcdec7fc8eabdcdaef93bb0df8ea12bee65224341c8183d8e17",
                 "e144d726b3acfaa3e44228e80efcd344"},
                {kTestImages, 3'041'136, "edd7a857845ad6bb1d0ba43fe7e794d164fe2dce499a1694695a792adfac43c5",
                 "5c965bf0a639b31b8f53240b1b52f4d7"},
                {kTestLabels, 5'120, "20bb9a0ef54c7db3efc55a92eef5582c109615df22683c380526788f98e42a1c",
                 "7320c461ea6c1c855c0b718fb2a4b134"}},
      .mirrors = {"https://codh.rois.ac.jp/kmnist/dataset/kmnist/", "http://codh.rois.ac.jp/kmnist/dataset/kmnist/"},
      .title = "Kuzushiji-MNIST",
      .content = "60,000 + 10,000, 28x28 gray, 10 classes",
      .license = "CC BY-SA 4.0",
      .page = "https://github.com/rois-codh/kmnist",
  };
}

RemoteSet cifar10() {
  return {
      .name = "cifar10",
      .files = {{"cifar-10-binary.tar.gz", 170'052'171,
                 "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd",
                 "c32a1d4ab5d03f1284b67883e8d87530"}},
      .mirrors = {"https://www.cs.toronto.edu/~kriz/"},
      .pack = {"cifar-10-binary.tar.gz"},
      .title = "CIFAR-10",
      .content = "50,000 + 10,000, 32x32 RGB, 10 classes",
      .license = kNoLicense,
      .page = "https://www.cs.toronto.edu/~kriz/cifar.html",
  };
}

RemoteSet cifar100() {
  return {
      .name = "cifar100",
      .files = {{"cifar-100-binary.tar.gz", 168'513'733,
                 "58a81ae192c23a4be8b1804d68e518ed807d710a4eb253b1f2a199162a40d8ec",
                 "03b5dce01913d631647c71ecec9e9cb8"}},
      .mirrors = {"https://www.cs.toronto.edu/~kriz/"},
      .pack = {"cifar-100-binary.tar.gz"},
      .title = "CIFAR-100",
      .content = "50,000 + 10,000, 32x32 RGB, 100 classes",
      .license = kNoLicense,
      .page = "https://www.cs.toronto.edu/~kriz/cifar.html",
  };
}

RemoteSet stl10() {
  return {
      .name = "stl10",
      .files = {{"stl10_binary.tar.gz", 2'640'397'119,
                 "f31fd99273a1acb8609c8db427cebb1de3f71de77758cdc0e22956e1289b9866",
                 "91f7769df0f17e558f3565bffb0c7dfb"}},
      .mirrors = {"https://cs.stanford.edu/~acoates/stl10/", "http://ai.stanford.edu/~acoates/stl10/"},
      .pack = {"stl10_binary.tar.gz"},
      .title = "STL-10",
      .content = "5,000 + 8,000, 96x96 RGB, 10 classes",
      .license = kNoLicense,
      .page = "https://cs.stanford.edu/~acoates/stl10/",
  };
}

constexpr const char* kSvhnFolder = "http://ufldl.stanford.edu/housenumbers/";
constexpr const char* kSvhnLicense = "for non-commercial use only";

RemoteSet svhn() {
  return {
      .name = "svhn",
      .files = {{"train_32x32.mat", 182'040'794, "435e94d69a87fde4fd4d7f3dd208dfc32cb6ae8af2240d066de1df7508d083b8",
                 "e26dedcc434d2e4c54c9b2d4a06d8373"},
                {"test_32x32.mat", 64'275'384, "cdce80dfb2a2c4c6160906d0bd7c68ec5a99d7ca4831afa54f09182025b6a75b",
                 "eb5a983be6a315427106f1b164d9cef3"}},
      .mirrors = {kSvhnFolder},
      .pack = {"train_32x32.mat", "test_32x32.mat"},
      .title = "SVHN, cropped digits",
      .content = "73,257 + 26,032, 32x32 RGB, 10 classes",
      .license = kSvhnLicense,
      .page = kSvhnFolder,
  };
}

RemoteSet svhn_extra() {
  return {
      .name = "svhn-extra",
      .files = {{"extra_32x32.mat", 1'329'278'602, "a133a4beb38a00fcdda90c9489e0c04f900b660ce8a316a5e854838379a71eb3",
                 "a93ce644f1a588dc4d68dda5feec44a7"}},
      .mirrors = {kSvhnFolder},
      .pack = {"extra=extra_32x32.mat"},
      .title = "SVHN, extra (easier) digits",
      .content = "531,131, 32x32 RGB, 10 classes",
      .license = kSvhnLicense,
      .page = kSvhnFolder,
  };
}

}  // namespace

std::int64_t total_bytes(const RemoteSet& set) {
  std::int64_t bytes = 0;
  for (const RemoteFile& file : set.files) bytes += file.bytes;
  return bytes;
}

const std::vector<RemoteSet>& known_sets() {
  static const std::vector<RemoteSet> sets = {mnist(),    fashion_mnist(), kmnist(), cifar10(),
                                              cifar100(), stl10(),         svhn(),   svhn_extra()};
  return sets;
}

const RemoteSet& known_set(std::string_view name) {
  std::string listed;
  std::vector<std::string> names;
  for (const RemoteSet& set : known_sets()) {
    if (set.name == name) return set;
    names.push_back(set.name);
    listed += (listed.empty() ? "" : ", ") + set.name;
  }
  const std::string hint = did_you_mean(name, names);
  throw InvalidArgument("fetch \"" + std::string(name) + "\": no known set has this name; " +
                        (hint.empty() ? "known" : hint + " Known") + " sets are " + listed +
                        "; others need a description (`description`)");
}

}  // namespace octavo
