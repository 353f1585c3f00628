# SPDX-License-Identifier: Apache-2.0
#
# What every target of ours shares: warnings, sanitizers, precompiled headers, and how an adapter, a test, a fuzz target
# and a benchmark are declared.

find_package(Threads REQUIRED)
find_package(nlohmann_json REQUIRED)

add_library(headroom_abi INTERFACE)
target_include_directories(headroom_abi INTERFACE ${CMAKE_SOURCE_DIR}/implementations/abi)

add_library(headroom_flags INTERFACE)
target_compile_options(headroom_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion)
# A warning is an error with the compilers of Debian 12; further warnings of other compilers,
# right or wrong, must not prevent measurements.
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
  # Each program carries the sanitizers' runtime: LLVM's linker takes a fraction of the time of the other.
  find_program(HEADROOM_LLD ld.lld)
  if(HEADROOM_LLD AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_link_options(headroom_flags INTERFACE -fuse-ld=lld)
  endif()
endif()

# headroom_unity(target [MEASURED patterns...] [ALONE patterns...]): with HEADROOM_UNITY, compiles the sources of each
# folder as one translation unit, so that the compiler reads each header and instantiates each template once. Sources
# that match a pattern are compiled alone: of MEASURED those whose speed is measured, unless HEADROOM_UNITY is ALL; of
# ALONE those with names in an anonymous namespace that another source of the folder has, too, and those that a program
# replaces.
function(headroom_unity target)
  cmake_parse_arguments(PARSE_ARGV 1 U "" "" "ALONE;MEASURED")
  if(NOT HEADROOM_UNITY)
    return()
  endif()
  set(alone ${U_ALONE})
  if(NOT HEADROOM_UNITY STREQUAL "ALL")
    list(APPEND alone ${U_MEASURED})
  endif()
  get_target_property(sources ${target} SOURCES)
  list(JOIN alone "|" alone)
  if(alone)
    list(FILTER sources EXCLUDE REGEX "^(${alone})")
  endif()
  foreach(source IN LISTS sources)
    get_filename_component(folder ${source} DIRECTORY)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP "${folder}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# headroom_adapter(name sources...): a shared library lib/<name>.so that exports the ABI.
function(headroom_adapter name)
  add_library(adapter_${name} MODULE ${ARGN})
  set_target_properties(adapter_${name} PROPERTIES PREFIX "" OUTPUT_NAME ${name})
  target_link_libraries(adapter_${name} PRIVATE headroom_abi headroom_flags nlohmann_json::nlohmann_json)
endfunction()

# headroom_scheme_table(template output function schemes...): makes a source of a template, in which
# HEADROOM_SCHEME_DECLARATIONS and HEADROOM_SCHEME_LIST stand for the declarations of a function that each scheme has in
# the namespace headroom::<scheme>, and for pointers to what they return. `function` is the declaration in C++ without
# its semicolon, such as "const Scheme& scheme() noexcept".
function(headroom_scheme_table template output function)
  set(HEADROOM_SCHEME_DECLARATIONS "")
  set(pointers "")
  string(REGEX MATCH "[a-z_]+\\(\\)" call "${function}")
  foreach(scheme IN LISTS ARGN)
    string(APPEND HEADROOM_SCHEME_DECLARATIONS "namespace headroom::${scheme} {\n${function};\n}\n")
    list(APPEND pointers "&${scheme}::${call}")
  endforeach()
  list(JOIN pointers ", " HEADROOM_SCHEME_LIST)
  configure_file(${template} ${CMAKE_CURRENT_BINARY_DIR}/${output} @ONLY)
endfunction()

# What is tested is optimised, what tests it need not be: most of the time that it takes would go into the templates of
# GoogleTest and of JSON. With -fPIC programs and adapters can share precompiled headers.
set(HEADROOM_TEST_OPTIONS -O0 -fPIC)

# headroom_test(name LIBRARIES libs... SOURCES sources... [APART sources...]): a GoogleTest program bin/<name>, run by
# ctest. SOURCES are one translation unit; those of APART are compiled alone, because names in their anonymous
# namespaces occur in other sources, too.
function(headroom_test name)
  cmake_parse_arguments(PARSE_ARGV 1 T "" "" "LIBRARIES;SOURCES;APART")
  if(NOT HEADROOM_TESTS)
    return()
  endif()
  find_package(GTest REQUIRED)
  include(GoogleTest)
  add_executable(${name} ${T_SOURCES} ${T_APART})
  target_link_libraries(${name} PRIVATE ${T_LIBRARIES} headroom_flags GTest::gtest GTest::gtest_main)
  target_compile_options(${name} PRIVATE ${HEADROOM_TEST_OPTIONS})
  if(HEADROOM_UNITY)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
    set_source_files_properties(${T_APART} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
  add_test(NAME ${name} COMMAND ${name})
endfunction()

# headroom_fuzz_target(name LIBRARIES libs... SOURCES sources... CORPUS dir): with clang and HEADROOM_FUZZERS a program
# for libFuzzer. With tests and sanitizers a program bin/<name>_replay that runs each file of the corpus once, as a
# ctest: without sanitizers it would find little.
function(headroom_fuzz_target name)
  cmake_parse_arguments(PARSE_ARGV 1 F "" "CORPUS" "LIBRARIES;SOURCES")
  if(HEADROOM_FUZZERS)
    add_executable(${name} ${F_SOURCES})
    target_link_libraries(${name} PRIVATE ${F_LIBRARIES} headroom_flags)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    file(WRITE ${CMAKE_BINARY_DIR}/seeds/${name} ${F_CORPUS})  # for ./headroom test
  endif()
  if(HEADROOM_TESTS AND HEADROOM_SANITIZERS)
    if(NOT TARGET replay_corpus)
      add_library(replay_corpus OBJECT ${CMAKE_SOURCE_DIR}/cmake/replay_corpus.cc)
      target_link_libraries(replay_corpus PRIVATE headroom_flags)
    endif()
    add_executable(${name}_replay ${F_SOURCES} $<TARGET_OBJECTS:replay_corpus>)
    target_link_libraries(${name}_replay PRIVATE ${F_LIBRARIES} headroom_flags)
    target_compile_options(${name}_replay PRIVATE ${HEADROOM_TEST_OPTIONS})
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

# headroom_precompile_headers(directory): with HEADROOM_PCH, the C++ targets of a directory and of those below it read
# the large headers of others (cmake/precompiled.h, tests cmake/precompiled_tests.h) in a form that is compiled once.
# Every source includes what it uses all the same, because other builds read the headers themselves.
function(headroom_precompile_headers directory)
  if(NOT HEADROOM_PCH)
    return()
  endif()
  if(NOT TARGET headroom_precompiled)
    add_library(headroom_precompiled OBJECT ${CMAKE_SOURCE_DIR}/cmake/precompiled.cc)
    target_link_libraries(headroom_precompiled PRIVATE headroom_flags nlohmann_json::nlohmann_json)
    target_precompile_headers(headroom_precompiled PRIVATE ${CMAKE_SOURCE_DIR}/cmake/precompiled.h)
    if(HEADROOM_TESTS)
      find_package(GTest REQUIRED)
      add_library(headroom_precompiled_tests OBJECT ${CMAKE_SOURCE_DIR}/cmake/precompiled.cc)
      target_link_libraries(headroom_precompiled_tests
        PRIVATE headroom_flags nlohmann_json::nlohmann_json GTest::gtest)
      target_precompile_headers(headroom_precompiled_tests PRIVATE ${CMAKE_SOURCE_DIR}/cmake/precompiled_tests.h)
      target_compile_options(headroom_precompiled_tests PRIVATE ${HEADROOM_TEST_OPTIONS})
    endif()
  endif()
  get_property(targets DIRECTORY ${directory} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(options ${target} COMPILE_OPTIONS)
    get_target_property(sources ${target} SOURCES)
    get_target_property(libraries ${target} LINK_LIBRARIES)
    get_target_property(type ${target} TYPE)
    set(inherited "")  # options of libraries, such as DPDK's -march
    foreach(library IN LISTS libraries)
      if(TARGET ${library} AND NOT library STREQUAL "headroom_flags")
        get_target_property(more ${library} INTERFACE_COMPILE_OPTIONS)
        if(more)
          list(APPEND inherited ${more})
        endif()
      endif()
    endforeach()
    if(target MATCHES "^headroom_precompiled" OR inherited OR NOT sources MATCHES "[.]cc")
      continue()
    elseif(options STREQUAL "${HEADROOM_TEST_OPTIONS}")
      target_precompile_headers(${target} REUSE_FROM headroom_precompiled_tests)
    elseif(NOT options AND NOT type STREQUAL "EXECUTABLE")  # with other options headers would have to be compiled again
      target_precompile_headers(${target} REUSE_FROM headroom_precompiled)
    endif()
  endforeach()
  get_property(folders DIRECTORY ${directory} PROPERTY SUBDIRECTORIES)
  foreach(folder IN LISTS folders)
    headroom_precompile_headers(${folder})
  endforeach()
endfunction()
