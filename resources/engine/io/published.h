// SPDX-License-Identifier: Apache-2.0
//
// Published hands a worker's state to another thread on request: the worker reads a flag once a round and copies its
// state only when the flag is set.
#ifndef HEADROOM_IO_PUBLISHED_H
#define HEADROOM_IO_PUBLISHED_H

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace headroom::io {

template <typename T>
class Published {
 public:
  // Publishes a value. The worker calls it once a round. `make` returns the value, and runs only if a request is
  // pending.
  template <typename Make>
  void offer(Make&& make) {
    if (!wanted_.load(std::memory_order_relaxed)) [[likely]]
      return;
    tell(make());
  }

  // Publishes the last value. The worker calls it at its end, without a request.
  void tell(T value) {
    {
      const std::scoped_lock lock(mutex_);
      value_ = std::move(value);
      wanted_.store(false, std::memory_order_relaxed);
      ++told_;
    }
    news_.notify_all();
  }

  // Requests the worker's value and returns it, or the last published value if the worker does not answer within
  // `patience`.
  [[nodiscard]] T ask(std::chrono::milliseconds patience = std::chrono::milliseconds(100)) {
    std::unique_lock lock(mutex_);
    const auto before = told_;
    wanted_.store(true, std::memory_order_relaxed);
    news_.wait_for(lock, patience, [&] { return told_ != before; });
    return value_;
  }

  // Returns the value that the worker published last.
  [[nodiscard]] T last() {
    const std::scoped_lock lock(mutex_);
    return value_;
  }

 private:
  std::atomic<bool> wanted_{false};
  std::mutex mutex_;
  std::condition_variable news_;
  T value_{};
  unsigned told_ = 0;
};

}  // namespace headroom::io

#endif  // HEADROOM_IO_PUBLISHED_H
