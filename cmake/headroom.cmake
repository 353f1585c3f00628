# SPDX-License-Identifier: Apache-2.0
#
# What every target of ours shares: warnings, sanitizers, and how an adapter, a test, a fuzz target and a benchmark are
# declared.

find_package(Threads REQUIRED)
find_package(nlohmann_json REQUIRED)

add_library(headroom_abi INTERFACE)
target_include_directories(headroom_abi INTERFACE ${CMAKE_SOURCE_DIR}/implementations/abi)

add_library(headroom_flags INTERFACE)
target_compile_options(headroom_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion)
# A warning is an error with the compilers of Debian 12; what another one has to say in addition, rightly or wrongly,
# must not keep anybody from measuring.
if("${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" MATCHES "^(GNU 12|Clang 14)\\.")
  target_compile_options(headroom_flags INTERFACE -Werror)
endif()
target_compile_definitions(headroom_flags INTERFACE
  "HEADROOM_VERSION=\"${PROJECT_VERSION}\""
  "HEADROOM_BUILD=\"${HEADROOM_BUILD_NAME} ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}\"")
if(HEADROOM_SANITIZERS)
  target_compile_options(headroom_flags INTERFACE -fsanitize=${HEADROOM_SANITIZERS} -fno-omit-frame-pointer
                                                  -fno-sanitize-recover=all)
  target_link_options(headroom_flags INTERFACE -fsanitize=${HEADROOM_SANITIZERS})
endif()

# headroom_adapter(name sources...): a shared library lib/<name>.so that exports the ABI.
function(headroom_adapter name)
  add_library(adapter_${name} MODULE ${ARGN})
  set_target_properties(adapter_${name} PROPERTIES PREFIX "" OUTPUT_NAME ${name})
  target_link_libraries(adapter_${name} PRIVATE headroom_abi headroom_flags nlohmann_json::nlohmann_json)
endfunction()

# headroom_test(name LIBRARIES libs... SOURCES sources...): a GoogleTest program bin/<name>, run by ctest.
function(headroom_test name)
  cmake_parse_arguments(PARSE_ARGV 1 T "" "" "LIBRARIES;SOURCES")
  if(NOT HEADROOM_TESTS)
    return()
  endif()
  find_package(GTest REQUIRED)
  include(GoogleTest)
  add_executable(${name} ${T_SOURCES})
  target_link_libraries(${name} PRIVATE ${T_LIBRARIES} headroom_flags GTest::gtest GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
endfunction()

# headroom_fuzz_target(name LIBRARIES libs... SOURCES sources... CORPUS dir): with clang and HEADROOM_FUZZERS a libFuzzer program; always a
# program bin/<name>_replay that runs each file of the corpus once, as a ctest.
function(headroom_fuzz_target name)
  cmake_parse_arguments(PARSE_ARGV 1 F "" "CORPUS" "LIBRARIES;SOURCES")
  if(HEADROOM_FUZZERS)
    add_executable(${name} ${F_SOURCES})
    target_link_libraries(${name} PRIVATE ${F_LIBRARIES} headroom_flags)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  endif()
  if(HEADROOM_TESTS)
    add_executable(${name}_replay ${F_SOURCES} ${CMAKE_SOURCE_DIR}/cmake/replay_corpus.cc)
    target_link_libraries(${name}_replay PRIVATE ${F_LIBRARIES} headroom_flags)
    add_test(NAME ${name}_replay COMMAND ${name}_replay ${F_CORPUS})
  endif()
endfunction()

# headroom_benchmark(name LIBRARIES libs... SOURCES sources...): a Google Benchmark program bin/<name>.
function(headroom_benchmark name)
  cmake_parse_arguments(PARSE_ARGV 1 B "" "" "LIBRARIES;SOURCES")
  if(NOT HEADROOM_BENCHMARKS)
    return()
  endif()
  find_package(benchmark REQUIRED)
  add_executable(${name} ${B_SOURCES})
  target_link_libraries(${name} PRIVATE ${B_LIBRARIES} headroom_flags benchmark::benchmark)
endfunction()

enable_testing()
