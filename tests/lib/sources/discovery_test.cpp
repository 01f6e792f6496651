#include "sources/discovery.hpp"
#include "sources/source_reader.hpp"

#include <sys/stat.h>

#include <octavo/errors.hpp>

#include "catch.hpp"
#include "made_files.hpp"
#include "sources/combine/split_names.hpp"
#include "sources/lists/natural_order.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

constexpr const sources::SourceReader* kAny = nullptr;

std::vector<sources::SourceEntry> found_at(const SourceSpec& spec, const sources::SourceReader* wanted = kAny) {
  sources::Search search = {files::OpenArchives(SourceOptions().largest_archive_ratio), {}};
  return sources::discover(spec, wanted, search);
}

std::string splits_of(const std::vector<sources::SourceEntry>& entries) {
  std::string text;
  for (const auto& entry : entries)
    text += entry.split + "=" + std::filesystem::path(entry.path).filename().string() + " ";
  return text;
}

}  // namespace

TEST_CASE("a folder of IDX files becomes train and test and plain files precede compressed copies", "[unit][pack]") {
  const TemporaryFolder folder;
  const std::string images = idx({1, 1, 1}, "x");
  write_file(folder / "t10k-images-idx3-ubyte.gz", gzipped(images));
  write_file(folder / "train-images-idx3-ubyte", images);
  write_file(folder / "train-images-idx3-ubyte.gz", gzipped(images));
  write_file(folder / "train-labels-idx1-ubyte", idx({1}, "x"));
  REQUIRE(splits_of(found_at({folder.path(), ""})) == "train=train-images-idx3-ubyte test=t10k-images-idx3-ubyte.gz ");
}

TEST_CASE("IDX files of any element type are found by name", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "train-images-idx3-float", idx({1, 1, 1}, "x"));
  write_file(folder / "train-labels-idx1-ubyte", idx({1}, "x"));
  write_file(folder / "test.idx3.gz", gzipped(idx({1, 1, 1}, "x")));
  write_file(folder / "notes-idx3x", "no images");
  REQUIRE(splits_of(found_at({folder.path(), ""})) == "train=train-images-idx3-float test=test.idx3.gz ");
}

TEST_CASE("two IDX datasets in one folder are not mixed", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "digits-train-images-idx3-ubyte", idx({1, 1, 1}, "x"));
  write_file(folder / "letters-train-images-idx3-ubyte", idx({1, 1, 1}, "x"));
  REQUIRE_THROWS_WITH(found_at({folder.path(), ""}), ContainsSubstring("both look like"));
}

TEST_CASE("CIFAR batches become train in numeric order and test", "[unit][pack]") {
  const TemporaryFolder folder;
  for (const char* name : {"data_batch_10.bin", "data_batch_2.bin", "test_batch.bin"}) {
    write_file(folder / name, cifar_record("\1", 1, 2, 3));
  }
  write_file(folder / "readme.html", "x");
  REQUIRE(splits_of(found_at({folder.path(), ""})) ==
          "train=data_batch_2.bin train=data_batch_10.bin test=test_batch.bin ");
  // A damaged batch is not left out.
  write_file(folder / "data_batch_3.bin", "<html>not found</html>");
  REQUIRE_THROWS_WITH(found_at({folder.path(), ""}),
                      ContainsSubstring("data_batch_3.bin") && ContainsSubstring("it is a CIFAR batch"));
}

TEST_CASE("a damaged half of CIFAR-100 is not left out", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "test.bin", cifar_record("x", 1, 2, 0));
  write_file(folder / "train.bin", cifar_record("x", 1, 2, 0));
  REQUIRE(found_at({folder.path(), ""}).size() == 2);
  for (const char* const name : {"train.bin", "train"}) {
    std::filesystem::remove(folder / "train.bin");
    write_file(folder / name, "damaged");
    REQUIRE_THROWS_WITH(found_at({folder.path(), ""}), ContainsSubstring("it is a CIFAR batch"));
  }
}

TEST_CASE("the split of a single file comes from its name unless given", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "val-images-idx3-ubyte", idx({1, 1, 1}, "x"));
  REQUIRE(found_at({folder / "val-images-idx3-ubyte", ""})[0].split == "val");
  REQUIRE(found_at({folder / "val-images-idx3-ubyte", "mine"})[0].split == "mine");
}

TEST_CASE("a folder of two splits cannot become one", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "train-images-idx3-ubyte", idx({1, 1, 1}, "x"));
  write_file(folder / "t10k-images-idx3-ubyte", idx({1, 1, 1}, "x"));
  REQUIRE_THROWS_WITH(found_at({folder.path(), "val"}), ContainsSubstring("it holds \"train\" and \"test\""));
}

TEST_CASE("missing paths and unknown formats and special files are refused with a remedy", "[unit][pack]") {
  const TemporaryFolder folder;
  write_file(folder / "letter.txt", "dear reader");
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  REQUIRE_THROWS_WITH(found_at({folder / "none", ""}), ContainsSubstring("check the path"));
  REQUIRE_THROWS_WITH(found_at({folder / "letter.txt", ""}), ContainsSubstring("unknown format"));
  REQUIRE_THROWS_AS(found_at({folder / "pipe", ""}), IoError);
  REQUIRE_THROWS_AS(found_at({"/dev/zero", ""}), IoError);
}

TEST_CASE("a single image is refused in favor of its folder", "[unit][pack]") {
  const TemporaryFolder folder;
  for (const char* name : {"x.png", "x.JPG"}) {
    write_file(folder / name, "\x89PNG");
    for (const auto* const format : {kAny, &sources::kFolderReader}) {
      REQUIRE_THROWS_WITH(found_at({folder / name, ""}, format),
                          ContainsSubstring("it is a single image") &&
                              ContainsSubstring("give the folder that holds it, \"" + folder.path().string() + "\""));
    }
  }
}

TEST_CASE("every format is opened by its reader, or is an archive that is searched", "[unit][pack]") {
  for (const sources::SourceReader* const reader : sources::kSourceReaders) {
    INFO(reader->name);
    CHECK((reader->open == nullptr) == (reader->found_by == sources::FoundBy::archive));
    CHECK((reader->is_archive == nullptr || reader->looks_like != nullptr));
  }
}

TEST_CASE("splits are recognized by the beginning of a word", "[unit][pack]") {
  using sources::split_of_file_name;
  REQUIRE(split_of_file_name("emnist-letters-train-images-idx3-ubyte") == "train");
  REQUIRE(split_of_file_name("T10K-images-idx3-ubyte") == "test");
  REQUIRE(split_of_file_name("data_batch_1.bin") == "train");
  REQUIRE(split_of_file_name("validation.bin") == "val");
  REQUIRE_FALSE(split_of_file_name("latest-images-idx3-ubyte"));
  REQUIRE(sources::split_of_folder_name("Valid") == "val");
  REQUIRE_FALSE(sources::split_of_folder_name("trains"));
}

TEST_CASE("folders are recognized as splits by whole names in any case", "[unit][pack]") {
  using sources::split_of_folder_name;
  for (const char* name : {"train", "Training"}) CHECK(split_of_folder_name(name) == "train");
  for (const char* name : {"test", "TESTING"}) CHECK(split_of_folder_name(name) == "test");
  for (const char* name : {"val", "valid", "Validation", "eval", "dev"}) CHECK(split_of_folder_name(name) == "val");
  for (const char* name : {"", "trainings", "unlabeled", "device"}) CHECK_FALSE(split_of_folder_name(name));
}

TEST_CASE("natural order compares numbers by value", "[unit][pack]") {
  using sources::is_naturally_before;
  REQUIRE(is_naturally_before("a2", "a10"));
  REQUIRE_FALSE(is_naturally_before("a10", "a2"));
  REQUIRE(is_naturally_before("a", "a1"));
  REQUIRE(is_naturally_before("a01", "a1"));
  REQUIRE_FALSE(is_naturally_before("a1", "a01"));
  REQUIRE_FALSE(is_naturally_before("a1", "a1"));
  REQUIRE(is_naturally_before("a01b", "a1c"));
}
