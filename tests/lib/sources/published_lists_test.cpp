// Folders as competitions and portals publish them: which of their lists are packed, and with which labels.
#include <octavo/errors.hpp>
#include <octavo/pack.hpp>

#include "catch.hpp"
#include "images/made_images.hpp"
#include "made_files.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;
namespace fs = std::filesystem;

namespace {

using Names = std::vector<std::string>;

/// A folder with the images train_images/0.png, 1.png and test_images/2.png, 3.png, and lists.
class Competition {
 public:
  Competition() {
    for (const char* const image : {"train_images/0.png", "train_images/1.png"}) write(image, gray_png(1));
    for (const char* const image : {"test_images/2.png", "test_images/3.png"}) write(image, gray_png(2));
  }
  void write(const std::string& name, const std::string& text) const { write_file(folder_ / name, text); }
  fs::path operator/(const std::string& name) const { return folder_ / name; }
  std::unique_ptr<Source> open(const SourceOptions& options = {}) const {
    return open_source({{folder_.path()}}, options);
  }
  std::string error(const SourceOptions& options = {}) const {
    try {
      open(options);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

 private:
  TemporaryFolder folder_;
};

std::string list_remarks_of(const Source& source) {
  std::string text;
  for (const std::string& note : source.notes().remarks) text += note + "\n";
  return text;
}

constexpr const char* kSubmission = "id,label\n2,0\n3,0\n";

}  // namespace

TEST_CASE("labels are in columns with usual names", "[unit][pack]") {
  const Competition folder;
  for (const char* const column : {"class_id", "ClassId", "category_id", "label_id", "diagnosis", "breed"}) {
    INFO(column);
    folder.write("train.csv", "id,age," + std::string(column) + "\n0,7,1\n1,8,0\n");
    const auto source = folder.open();
    CHECK(source->splits()[0].labels == LabelLayout{LabelKind::class_index, 1});
    CHECK(read_all(*source).labels == std::vector<std::int32_t>{1, 0});
  }
  // Names rather than numbers.
  folder.write("train.csv", "id,class_id,class_name\n0,1,owl\n1,0,pug\n");
  CHECK(folder.open()->class_names() == Names{"owl", "pug"});
}
