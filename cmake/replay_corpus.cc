// SPDX-License-Identifier: Apache-2.0
//
// Runs a fuzz target once on every file of the folders (or on the files) named on the command line: the corpus as a
// regression test, with any compiler.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  std::size_t inputs = 0;
  auto run = [&](const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    const std::vector<char> content{std::istreambuf_iterator<char>(in), {}};
    const std::vector<std::uint8_t> octets(content.begin(), content.end());
    LLVMFuzzerTestOneInput(octets.data(), octets.size());
    ++inputs;
  };
  for (int i = 1; i < argc; ++i) {
    const fs::path path = argv[i];
    if (fs::is_directory(path)) {
      for (const auto& entry : fs::recursive_directory_iterator(path)) {
        if (entry.is_regular_file()) run(entry.path());
      }
    } else {
      run(path);
    }
  }
  std::printf("%zu inputs replayed\n", inputs);
  return inputs == 0 ? 1 : 0;  // an empty corpus proves nothing
}
