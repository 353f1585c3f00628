// SPDX-License-Identifier: Apache-2.0
#include "check/call_watch.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

namespace headroom::check {
namespace {

WatchedCalls calls;

void count(const char* name) noexcept {
  if (calls.count++ == 0) calls.first = name;
}

// ---- what stands in for the watched functions: counts, and does what was asked

void* watched_malloc(std::size_t size) { return count("malloc"), std::malloc(size); }
void* watched_calloc(std::size_t n, std::size_t size) { return count("calloc"), std::calloc(n, size); }
void* watched_realloc(void* block, std::size_t size) { return count("realloc"), std::realloc(block, size); }
void watched_free(void* block) { count("free"), std::free(block); }
void* watched_aligned_alloc(std::size_t alignment, std::size_t size) {
  return count("aligned_alloc"), std::aligned_alloc(alignment, size);
}
int watched_posix_memalign(void** block, std::size_t alignment, std::size_t size) {
  return count("posix_memalign"), posix_memalign(block, alignment, size);
}
void* watched_new(std::size_t size) { return count("operator new"), ::operator new(size); }
void* watched_new_array(std::size_t size) { return count("operator new[]"), ::operator new[](size); }
void* watched_new_nothrow(std::size_t size, const std::nothrow_t& tag) {
  return count("operator new"), ::operator new(size, tag);
}
void* watched_new_aligned(std::size_t size, std::align_val_t alignment) {
  return count("operator new"), ::operator new(size, alignment);
}
int watched_mutex_lock(pthread_mutex_t* mutex) { return count("pthread_mutex_lock"), pthread_mutex_lock(mutex); }
int watched_mutex_trylock(pthread_mutex_t* mutex) {
  return count("pthread_mutex_trylock"), pthread_mutex_trylock(mutex);
}
int watched_read_lock(pthread_rwlock_t* lock) { return count("pthread_rwlock_rdlock"), pthread_rwlock_rdlock(lock); }
int watched_write_lock(pthread_rwlock_t* lock) { return count("pthread_rwlock_wrlock"), pthread_rwlock_wrlock(lock); }
int watched_spin_lock(pthread_spinlock_t* lock) { return count("pthread_spin_lock"), pthread_spin_lock(lock); }
int watched_sem_wait(sem_t* semaphore) { return count("sem_wait"), sem_wait(semaphore); }

struct Watched {
  std::string_view symbol;
  void* replacement;
};

template <typename Function>
void* address_of(Function* function) {
  return reinterpret_cast<void*>(function);
}

// Mangled names of operator new take the type of std::size_t: m with 64 bits, j with 32.
#if __SIZEOF_POINTER__ == 8
#define HEADROOM_SIZE "m"
#else
#define HEADROOM_SIZE "j"
#endif

const Watched kWatched[] = {
    {"malloc", address_of(watched_malloc)},
    {"calloc", address_of(watched_calloc)},
    {"realloc", address_of(watched_realloc)},
    {"free", address_of(watched_free)},
    {"aligned_alloc", address_of(watched_aligned_alloc)},
    {"posix_memalign", address_of(watched_posix_memalign)},
    {"_Znw" HEADROOM_SIZE, address_of(watched_new)},
    {"_Zna" HEADROOM_SIZE, address_of(watched_new_array)},
    {"_Znw" HEADROOM_SIZE "RKSt9nothrow_t", address_of(watched_new_nothrow)},
    {"_Znw" HEADROOM_SIZE "St11align_val_t", address_of(watched_new_aligned)},
    {"pthread_mutex_lock", address_of(watched_mutex_lock)},
    {"pthread_mutex_trylock", address_of(watched_mutex_trylock)},
    {"pthread_rwlock_rdlock", address_of(watched_read_lock)},
    {"pthread_rwlock_wrlock", address_of(watched_write_lock)},
    {"pthread_spin_lock", address_of(watched_spin_lock)},
    {"sem_wait", address_of(watched_sem_wait)},
};

// ---- the tables of a loaded library (System V ABI, chapter 5)

#if defined(__x86_64__)
using Relocation = ElfW(Rela);
constexpr ElfW(Sxword) kTable = DT_RELA, kTableSize = DT_RELASZ;
bool is_function_entry(unsigned type) { return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT; }
bool is_pointer(unsigned type) { return type == R_X86_64_64; }
#elif defined(__i386__)
using Relocation = ElfW(Rel);
constexpr ElfW(Sword) kTable = DT_REL, kTableSize = DT_RELSZ;
bool is_function_entry(unsigned type) { return type == R_386_JMP_SLOT || type == R_386_GLOB_DAT; }
bool is_pointer(unsigned type) { return type == R_386_32; }
#elif defined(__aarch64__)
using Relocation = ElfW(Rela);
constexpr ElfW(Sxword) kTable = DT_RELA, kTableSize = DT_RELASZ;
bool is_function_entry(unsigned type) { return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT; }
bool is_pointer(unsigned type) { return type == R_AARCH64_ABS64; }
#else
#define HEADROOM_NO_CALL_WATCH 1
#endif

#ifndef HEADROOM_NO_CALL_WATCH

#if __SIZEOF_POINTER__ == 8
unsigned type_of(const Relocation& r) { return static_cast<unsigned>(ELF64_R_TYPE(r.r_info)); }
unsigned symbol_of(const Relocation& r) { return static_cast<unsigned>(ELF64_R_SYM(r.r_info)); }
#else
unsigned type_of(const Relocation& r) { return ELF32_R_TYPE(r.r_info); }
unsigned symbol_of(const Relocation& r) { return ELF32_R_SYM(r.r_info); }
#endif

struct Tables {
  const char* strings = nullptr;
  const ElfW(Sym) * symbols = nullptr;
  const Relocation* calls = nullptr;
  std::size_t calls_size = 0;
  const Relocation* data = nullptr;
  std::size_t data_size = 0;
};

Tables tables_of(const dl_phdr_info& library) {
  Tables tables;
  for (int i = 0; i < library.dlpi_phnum; ++i) {
    if (library.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(library.dlpi_addr + library.dlpi_phdr[i].p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      // The C library has turned these addresses into absolute ones, but for some libraries of the kernel's.
      const auto at = entry->d_un.d_ptr < library.dlpi_addr ? entry->d_un.d_ptr + library.dlpi_addr : entry->d_un.d_ptr;
      if (entry->d_tag == DT_STRTAB) tables.strings = reinterpret_cast<const char*>(at);
      if (entry->d_tag == DT_SYMTAB) tables.symbols = reinterpret_cast<const ElfW(Sym)*>(at);
      if (entry->d_tag == DT_JMPREL) tables.calls = reinterpret_cast<const Relocation*>(at);
      if (entry->d_tag == DT_PLTRELSZ) tables.calls_size = static_cast<std::size_t>(entry->d_un.d_val);
      if (entry->d_tag == kTable) tables.data = reinterpret_cast<const Relocation*>(at);
      if (entry->d_tag == kTableSize) tables.data_size = static_cast<std::size_t>(entry->d_un.d_val);
    }
  }
  return tables;
}

// Libraries whose own calls are no business of an adapter's, or cannot be counted without going round in circles.
bool is_left_alone(std::string_view name) {
  if (name.empty()) return true;  // the program
  for (const char* part :
       {"/libc.so", "/ld-linux", "/libclang_rt", "/libasan", "/libubsan", "linux-vdso", "linux-gate"}) {
    if (name.find(part) != std::string_view::npos) return true;
  }
  return false;
}

bool redirect(void** entry, void* replacement) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  auto* start = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(entry) & ~(page - 1));
  if (mprotect(start, page, PROT_READ | PROT_WRITE) != 0) return false;
  *entry = replacement;
  return true;
}

unsigned redirect_all(const Tables& tables, const Relocation* list, std::size_t size, ElfW(Addr) base) {
  unsigned found = 0;
  for (std::size_t i = 0; i < size / sizeof(Relocation); ++i) {
    const bool pointer = is_pointer(type_of(list[i]));
    if (!pointer && !is_function_entry(type_of(list[i]))) continue;
    const std::string_view name = tables.strings + tables.symbols[symbol_of(list[i])].st_name;
    auto** const entry = reinterpret_cast<void**>(base + list[i].r_offset);
    for (const Watched& watched : kWatched) {
      if (watched.symbol != name) continue;
      // The library may have put another function into a variable of its own.
      if (pointer && *entry != dlsym(RTLD_DEFAULT, watched.symbol.data())) continue;
      found += redirect(entry, watched.replacement) ? 1u : 0u;
    }
  }
  return found;
}

int visit_library(dl_phdr_info* library, std::size_t, void* found) {
  if (is_left_alone(library->dlpi_name)) return 0;
  const Tables tables = tables_of(*library);
  if (tables.strings == nullptr || tables.symbols == nullptr) return 0;
  *static_cast<unsigned*>(found) += redirect_all(tables, tables.calls, tables.calls_size, library->dlpi_addr) +
                                    redirect_all(tables, tables.data, tables.data_size, library->dlpi_addr);
  return 0;
}

#endif

}  // namespace

unsigned watch_calls() {
  unsigned found = 0;
#ifndef HEADROOM_NO_CALL_WATCH
  dl_iterate_phdr(visit_library, &found);
#endif
  return found;
}

WatchedCalls watched_calls() noexcept { return calls; }

void forget_calls() noexcept { calls = {}; }

}  // namespace headroom::check
