// Columns of image lists: labels by name, and metadata that is kept with each sample.
#include <nlohmann/json.hpp>
#include <octavo/dataset.hpp>
#include <octavo/errors.hpp>
#include <octavo/pack.hpp>
#include <octavo/reindex.hpp>
#include <octavo/verify.hpp>

#include "catch.hpp"
#include "images/made_images.hpp"
#include "sources/made_files.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

constexpr const char* kPets =
    "file_name,breed,age,zip,weight,note\n"
    "1.png,pug,3,00501,4.5,\n"
    "2.png,collie,,10001,20,\"runs, fast\"\n"
    "3.png,pug,12,10001,1e1,old\n";

/// A folder with images 1.png to 3.png, and pets.csv.
class PetFolder : public TemporaryFolder {
 public:
  explicit PetFolder(const std::string& list = kPets) {
    for (std::uint8_t value = 1; value <= 3; ++value)
      write_file(*this / ("pets/" + std::to_string(value) + ".png"), gray_png(value));
    write_file(*this / "pets/pets.csv", list);
  }
  std::unique_ptr<Source> open(const SourceOptions& options) const { return test::open(*this / "pets", options); }
};

nlohmann::json metadata_of(const std::filesystem::path& path, const std::string& split = "train") {
  return nlohmann::json::parse(Dataset::open(path).split(split).metadata());
}

}  // namespace

TEST_CASE("a label column is named and other columns are named or kept", "[unit][pack]") {
  const PetFolder folder;
  const auto source = folder.open({.label_columns = {"Breed"}});
  CHECK(source->class_names() == std::vector<std::string>{"collie", "pug"});
  CHECK(read_all(*source).labels == std::vector<std::int32_t>{1, 0, 1});
  CHECK(source->splits()[0].columns == std::vector<std::string>{"age", "zip", "weight", "note"});
  CHECK(source->notes().remarks.at(0) ==
        "pets.csv: columns kept with each sample: \"age\", \"zip\", \"weight\", \"note\"; leave them out with "
        "`columns=none`");
  const auto none = folder.open({.label_columns = {"breed"}, .columns = {"none"}});
  CHECK(none->splits()[0].columns.empty());
  CHECK(none->notes().remarks.at(0) ==
        "pets.csv: columns not packed: \"age\", \"zip\", \"weight\", \"note\"; keep them with `columns`");
  const auto kept = folder.open({.label_columns = {"breed"}, .columns = {"age", "zip", "weight", "note"}});
  CHECK(kept->notes().remarks.empty());
  CHECK(kept->splits()[0].columns == std::vector<std::string>{"age", "zip", "weight", "note"});
  CHECK(kept->sample_metadata(0, 0) == R"([3,"00501",4.5,""])");
  CHECK(kept->sample_metadata(0, 1) == R"([null,"10001",20,"runs, fast"])");
  const auto all = folder.open({.label_columns = {"breed"}, .columns = {"all"}});
  CHECK(all->splits()[0].columns == kept->splits()[0].columns);
}

TEST_CASE("a column with an integer of more than 64 bits is text", "[unit][pack]") {
  const auto kept = [](const std::string& number) {
    const PetFolder folder("file_name,label,id\n1.png,a," + number + "\n2.png,b,7\n");
    const auto source = folder.open({.columns = {"id"}});
    return source->sample_metadata(0, 0) + source->sample_metadata(0, 1);
  };
  CHECK(kept("12345678901234567890123") == R"(["12345678901234567890123"]["7"])");
  CHECK(kept("18446744073709551615") == "[18446744073709551615][7]");
  CHECK(kept("18446744073709551616") == R"(["18446744073709551616"]["7"])");
  CHECK(kept("-9223372036854775808") == "[-9223372036854775808][7]");
  CHECK(kept("-9223372036854775809") == R"(["-9223372036854775809"]["7"])");
  CHECK(kept("1e30") == "[1e+30][7]");
}

TEST_CASE("columns that only one of two lists of a split has are left out with a note", "[unit][pack]") {
  const PetFolder folder;
  write_file(folder / "more/9.png", gray_png(9));
  write_file(folder / "more/list.csv", "file_name,note,breed\n9.png,new,pug\n");
  const std::vector<SourceSpec> both = {{folder / "pets/pets.csv", "train"}, {folder / "more/list.csv", "train"}};
  const auto source = open_source(both, {.label_columns = {"breed"}});
  CHECK(source->splits()[0].columns == std::vector<std::string>{"note"});
  CHECK(source->sample_metadata(0, 1) == R"(["runs, fast"])");
  CHECK(source->sample_metadata(0, 3) == R"(["new"])");
  CHECK_THAT(to_json(source->notes()),
             ContainsSubstring(R"(columns not kept, because not all sources of the split \"train\" have them: )"
                               R"(\"age\", \"zip\", \"weight\")"));
  // Columns that the options name must be in both.
  CHECK_THROWS_WITH(open_source(both, {.label_columns = {"breed"}, .columns = {"age"}}),
                    ContainsSubstring("it has no column \"age\""));
}

TEST_CASE("columns that cannot be stored or are long are not kept without being named", "[unit][pack]") {
  const std::string long_name(300, 'x');
  const PetFolder folder("file_name,breed,age,age," + long_name + "\n1.png,pug,3,4,5\n2.png,owl,3,4,5\n");
  const auto source = folder.open({.label_columns = {"breed"}});
  CHECK(source->splits()[0].columns.empty());
  CHECK_THAT(source->notes().remarks.at(0), ContainsSubstring("columns not packed: \"age\", \"age\""));
}

TEST_CASE("many columns are not kept without being named", "[unit][pack]") {
  std::string names = "file_name,breed", cells = "1.png,pug";
  for (int i = 0; i <= 16'384; ++i) {
    names += ",c" + std::to_string(i);
    cells += ",0";
  }
  const PetFolder folder(names + "\n" + cells + "\n");
  const auto source = folder.open({.label_columns = {"breed"}});
  CHECK(source->splits()[0].columns.empty());
  CHECK_THAT(source->notes().remarks.at(0), ContainsSubstring("columns not packed: \"c0\", \"c1\""));
  CHECK(folder.open({.label_columns = {"breed"}, .columns = {"all"}})->splits()[0].columns.size() == 16'385);
}

TEST_CASE("a column that is missing or given twice is refused", "[unit][pack]") {
  const PetFolder folder;
  CHECK_THROWS_WITH(open(folder / "pets/pets.csv", {.label_columns = {"race"}}),
                    ContainsSubstring("no column \"race\"; expected one of file_name, breed"));
  CHECK_THROWS_WITH(folder.open({.label_columns = {"breed"}, .columns = {"race"}}), ContainsSubstring("\"race\""));
  CHECK_THROWS_WITH(folder.open({.label_columns = {"breed"}, .columns = {"age", "Age"}}),
                    ContainsSubstring("`columns` names \"Age\" twice"));
  const TemporaryFolder images;
  write_file(images / "a/1.png", gray_png(1));
  CHECK_THROWS_WITH(open(images.path(), {.columns = {"age"}}), ContainsSubstring("found no image list"));
}

TEST_CASE("kept columns are in the file and stay through every way of rewriting it", "[unit][pack]") {
  const PetFolder folder;
  pack(*folder.open({.label_columns = {"breed"}, .columns = {"note", "age"}}), folder / "a.h5");
  const Dataset dataset = Dataset::open(folder / "a.h5");
  CHECK(dataset.format_version() == 3);
  CHECK(dataset.split("train").columns() == std::vector<std::string>{"note", "age"});
  const auto expected = nlohmann::json::parse(R"({"age": [3, null, 12], "note": ["", "runs, fast", "old"]})");
  CHECK(metadata_of(folder / "a.h5") == expected);
  CHECK(verify(folder / "a.h5").defect_count == 0);

  pack(*open(folder / "a.h5", {.select = "pug"}), folder / "pugs.h5");
  CHECK(metadata_of(folder / "pugs.h5")["note"] == nlohmann::json({"", "old"}));
  reindex(folder / "a.h5", folder / "again.h5");
  CHECK(metadata_of(folder / "again.h5") == expected);
  CHECK(verify(folder / "again.h5").defect_count == 0);
  const auto more =
      open_source({{folder / "pets/pets.csv", "test"}}, {.label_columns = {"breed"}, .columns = {"none"}});
  append(*more, folder / "a.h5");
  CHECK(metadata_of(folder / "a.h5") == expected);
  CHECK(metadata_of(folder / "a.h5", "test").empty());
}

TEST_CASE("the metadata of skipped samples is skipped too", "[unit][pack]") {
  const PetFolder folder;
  std::string cut = gray_png(2);
  cut.resize(cut.size() - 20);
  write_file(folder / "pets/2.png", cut);
  const auto source = folder.open({.label_columns = {"breed"}, .columns = {"age"}, .skip_unreadable = true});
  pack(*source, folder / "a.h5", {.skip_bad_samples = true});
  CHECK(metadata_of(folder / "a.h5")["age"] == nlohmann::json({3, 12}));
}

TEST_CASE("damaged columns are found when they are read", "[unit][pack]") {
  const PetFolder folder;
  pack(*folder.open({.label_columns = {"breed"}, .columns = {"note"}}), folder / "a.h5");
  std::string bytes;
  {
    std::ifstream file(folder / "a.h5", std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  }
  const std::size_t note = bytes.find("runs, fast");
  REQUIRE(note != std::string::npos);
  bytes[note] = 'f';
  write_file(folder / "b.h5", bytes);
  const Dataset damaged = Dataset::open(folder / "b.h5");
  CHECK_THROWS_WITH(damaged.split("train").metadata(), ContainsSubstring("/train/columns is damaged"));
  CHECK(verify(folder / "b.h5").defect_count == 1);
}

TEST_CASE("a list that repeats images is noted", "[unit][pack]") {
  const PetFolder folder("file_name,label\n1.png,a\n1.png,b\n2.png,a\n1.png,a\n");
  CHECK(folder.open({})->notes().remarks.at(0) ==
        "2 lines of pets.csv repeat an image of an earlier line; each line became a sample, such as \"1.png\"");
}

TEST_CASE("files with other columns are not mixed", "[unit][pack]") {
  const PetFolder folder;
  pack(*folder.open({.label_columns = {"breed"}, .columns = {"note"}}), folder / "a.h5");
  pack(*folder.open({.label_columns = {"breed"}, .columns = {"age"}}), folder / "b.h5");
  CHECK_THROWS_WITH(open_source({{folder / "a.h5"}, {folder / "b.h5"}}, {}),
                    ContainsSubstring("has other columns than earlier sources; pack each source with the same "
                                      "`columns`"));
}
