#include "help/verb_examples.hpp"

#include <map>

namespace octavo::tools {

const std::vector<Example>& examples_of_verb(const std::string& verb) {
  static const std::map<std::string, std::vector<Example>> kExamples = {
      {"fetch",
       {{"Download CIFAR-10 into the folder cifar10", "octavo fetch cifar10"},
        {"List the datasets with their sizes and licenses", "octavo fetch --list"}}},
      {"pack",
       {{"Pack a folder that has a folder for each class", "octavo pack photos -o photos.h5 --size 224x224"},
        {"Keep a tenth of the samples for validation", "octavo pack photos -o photos.h5 --size 224x224 --holdout 0.1"},
        {"Show what would be packed", "octavo pack photos -o photos.h5 --size 224x224 --dry-run"}}},
      {"merge",
       {{"Make one dataset of the shards that workers packed", "octavo merge packed"},
        {"For a script", "octavo merge packed --json"}}},
      {"info",
       {{"Show splits, classes and sizes", "octavo info photos.h5"},
        {"List the samples that occur more than once", "octavo info photos.h5 --duplicates"}}},
      {"verify",
       {{"Check all samples of a copied file", "octavo verify photos.h5"},
        {"The same for a script: only the exit code and errors", "octavo verify photos.h5 --quiet > /dev/null"}}},
      {"doctor",
       {{"Find duplicates, leaks and odd labels before training", "octavo doctor photos.h5"},
        {"Fail in CI if there is a problem", "octavo doctor photos.h5 --strict --group-by patient"}}},
      {"report",
       {{"Measure how much memory the samples need", "octavo report photos.h5"},
        {"Also write a page for the browser", "octavo report photos.h5 --html photos.html"}}},
      {"plan",
       {{"Show whether the dataset fits on a GPU with 24 GiB", "octavo plan photos.h5 --memory 24GiB"},
        {"The same with a model of 25.6 million parameters",
         "octavo plan photos.h5 --memory 24GiB --params 25600000 --activations 90MiB"}}},
      {"bench",
       {{"Measure loading and batches on this machine", "octavo bench photos.h5"},
        {"Batches of 256 on the CPU", "octavo bench photos.h5 --device cpu --batch-size 256"}}},
      {"train",
       {{"Train a small model to check the labels", "octavo train photos.h5 --epochs 5"},
        {"Compare int8 with float32 samples", "octavo train photos.h5 --compare-float32 --model softmax"}}},
      {"view",
       {{"Draw the first 100 samples into photos.png", "octavo view photos.h5"},
        {"Draw a batch as training sees it", "octavo view photos.h5 --batch 0 --augment crop:4,flip -o batch.png"}}},
      {"export",
       {{"Write one PNG image per sample", "octavo export photos.h5 -o images"},
        {"Write NumPy arrays", "octavo export photos.h5 -o arrays --as npy"}}},
      {"reindex",
       {{"Rebuild a file that another program rewrote", "octavo reindex photos.h5 -o rebuilt.h5"},
        {"Keep the changes that it made to samples", "octavo reindex photos.h5 -o rebuilt.h5 --accept-changes"}}},
      {"repack",
       {{"Merge two dataset files", "octavo repack first.h5 second.h5 -o all.h5"},
        {"Take one split and compress it", "octavo repack photos.h5::test -o test.h5 --compress deflate"}}},
      {"skill",
       {{"Read how to port a training script", "octavo skill | less"},
        {"Give the page to a coding agent", "octavo skill > SKILL.md"}}},
      {"devices", {{"List the devices", "octavo devices"}, {"For a script", "octavo devices --json"}}},
      {"completion",
       {{"Complete in this bash", "source <(octavo completion bash)"},
        {"Complete in every fish", "octavo completion fish > ~/.config/fish/completions/octavo.fish"}}},
      {"manual",
       {{"Install the man pages for yourself", "octavo manual ~/.local/share/man/man1"},
        {"Write one Markdown page into this folder", "octavo manual . --markdown"}}},
      {"help", {{"List the commands", "octavo help"}, {"Show the options of a command", "octavo help pack"}}},
  };
  return kExamples.at(verb);
}

}  // namespace octavo::tools
