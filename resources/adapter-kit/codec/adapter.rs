// SPDX-License-Identifier: Apache-2.0
//! @NAME@ as an adapter: turns the calls of headroom.h into those of your library. TODO: library.c, which build.rs
//! compiles, stands in for yours; call your crate in its place, and say in DESCRIPTION and implementation.yaml what
//! yours does.
mod abi;

use abi::{Api, Detail, Packet};
use std::ffi::{c_char, c_void};
use std::panic::{catch_unwind, AssertUnwindSafe};

extern "C" {
    fn library_create(role: i32, config: *const c_char, error: *mut c_char, capacity: usize) -> *mut c_void;
    fn library_destroy(library: *mut c_void);
    fn library_channels(library: *const c_void) -> u32;
    fn library_memory(library: *const c_void) -> usize;
    fn library_process(library: *mut c_void, packet: *mut Packet) -> i32;
    fn library_next(library: *mut c_void, packet: *mut Packet) -> i32;
}

const DESCRIPTION: &str = @DESCRIPTION@;

struct Instance {
    role: i32,
    codec: *mut c_void,
}

unsafe extern "C" fn describe(target: *mut c_char, capacity: usize) -> usize {
    abi::put(DESCRIPTION, target, capacity)
}

unsafe extern "C" fn create(role: i32, config: *const c_char, error: *mut c_char, capacity: usize) -> *mut c_void {
    if role != abi::COMPRESSOR && role != abi::DECOMPRESSOR {
        const SENTENCE: &str = "the role must be 1 (compressor) or 2 (decompressor)";
        if capacity > 0 {
            abi::put(&SENTENCE[..SENTENCE.len().min(capacity - 1)], error, capacity);
        }
        return std::ptr::null_mut();
    }
    let codec = library_create(role, config, error, capacity); // Your library is called here.
    if codec.is_null() {
        return codec;
    }
    Box::into_raw(Box::new(Instance { role, codec })).cast()
}

unsafe extern "C" fn destroy(instance: *mut c_void) {
    library_destroy(Box::from_raw(instance.cast::<Instance>()).codec);
}

/// The status of one packet.
unsafe fn process(instance: &Instance, packet: &mut Packet) -> i32 {
    if packet.channel >= library_channels(instance.codec) {
        return abi::CHANNEL;
    }
    if packet.in_type == abi::TYPE_LOST {
        return abi::NOTHING;
    }
    if packet.in_length == 0 {
        return abi::MALFORMED;
    }
    // Your library is called here. No panic crosses the ABI.
    catch_unwind(AssertUnwindSafe(|| library_process(instance.codec, packet))).unwrap_or(abi::INTERNAL)
}

unsafe fn process_all(
    instance: *mut c_void,
    role: i32,
    packets: *mut Packet,
    count: usize,
    details: *mut Detail,
) -> usize {
    let instance = &*instance.cast::<Instance>();
    for number in 0..count {
        let packet = &mut *packets.add(number);
        if !details.is_null() {
            *details.add(number) = abi::UNKNOWN; // TODO: CID, packet type … where your library tells them
        }
        packet.out_length = 0; // else the length of an earlier packet may stay
        packet.status = if instance.role == role { process(instance, packet) } else { abi::UNSUPPORTED };
        if packet.status != abi::OK {
            packet.out_length = 0;
        }
        if packet.more != 0 {
            return number + 1; // the caller drains first
        }
    }
    count
}

// The number is `now_ns`, the only clock that your library may read.
unsafe extern "C" fn compress(self_: *mut c_void, packets: *mut Packet, n: usize, _: u64, d: *mut Detail) -> usize {
    process_all(self_, abi::COMPRESSOR, packets, n, d)
}

unsafe extern "C" fn decompress(self_: *mut c_void, packets: *mut Packet, n: usize, _: u64, d: *mut Detail) -> usize {
    process_all(self_, abi::DECOMPRESSOR, packets, n, d)
}

unsafe extern "C" fn statistics(instance: *const c_void, target: *mut c_char, capacity: usize) -> usize {
    let memory = std::mem::size_of::<Instance>() + library_memory((*instance.cast::<Instance>()).codec);
    abi::put(&format!("{{\"memory_bytes\": {memory}, \"contexts\": 0}}"), target, capacity)
}

unsafe extern "C" fn drain(self_: *mut c_void, packets: *mut Packet, count: usize, _: u64, d: *mut Detail) -> usize {
    let codec = (*self_.cast::<Instance>()).codec;
    for number in 0..count {
        if library_next(codec, packets.add(number)) == 0 {
            return number;
        }
        if !d.is_null() {
            *d.add(number) = abi::UNKNOWN;
        }
    }
    count
}

static API: Api = Api {
    abi_version: abi::VERSION,
    struct_size: std::mem::size_of::<Api>() as u32,
    describe,
    create,
    destroy,
    compress,
    decompress,
    statistics,
    drain: Some(drain),
    next_deadline: None,
    take_reverse: None,
    give_reverse: None,
    control: None,
    extension: None,
};

#[no_mangle]
pub extern "C" fn headroom_implementation() -> *const Api {
    &API
}
