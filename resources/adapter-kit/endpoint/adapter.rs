// SPDX-License-Identifier: Apache-2.0
//! @NAME@ as an adapter: turns the calls of headroom.h into those of your library. TODO: library.c, which build.rs
//! compiles, stands in for yours; call your crate in its place, and say in DESCRIPTION and implementation.yaml what
//! yours does.
mod abi;

use abi::{Api, Detail, MessageDetail, Messages, Packet, Sessions};
use std::ffi::{c_char, c_void, CStr};
use std::mem::size_of;
use std::panic::{catch_unwind, AssertUnwindSafe};

extern "C" {
    fn library_create(role: i32, config: *const c_char, error: *mut c_char, capacity: usize) -> *mut c_void;
    fn library_destroy(library: *mut c_void);
    fn library_memory(library: *const c_void) -> usize;
    fn library_sessions(library: *const c_void) -> usize;
    fn library_open(l: *mut c_void, session: u32, json: *const c_char, error: *mut c_char, capacity: usize) -> i32;
    fn library_close(library: *mut c_void, session: u32) -> i32;
    fn library_accept(library: *mut c_void, session: u32, detail: *mut MessageDetail) -> i32;
    fn library_process(l: *mut c_void, compressing: i32, packet: *mut Packet, detail: *mut MessageDetail) -> i32;
}

const DESCRIPTION: &str = @DESCRIPTION@;

struct Instance {
    endpoint: *mut c_void,
    last: MessageDetail, // of the message compressed or decompressed last
}

/// Nothing is known of a message.
fn no_message() -> MessageDetail {
    // SAFETY: all fields are numbers.
    let mut detail: MessageDetail = unsafe { std::mem::zeroed() };
    detail.compartment = abi::NO_SESSION;
    detail
}

unsafe extern "C" fn describe(target: *mut c_char, capacity: usize) -> usize {
    abi::put(DESCRIPTION, target, capacity)
}

unsafe extern "C" fn create(role: i32, config: *const c_char, error: *mut c_char, capacity: usize) -> *mut c_void {
    let endpoint = library_create(role, config, error, capacity); // Your library is called here.
    if endpoint.is_null() {
        return endpoint;
    }
    Box::into_raw(Box::new(Instance { endpoint, last: no_message() })).cast()
}

unsafe extern "C" fn destroy(instance: *mut c_void) {
    library_destroy(Box::from_raw(instance.cast::<Instance>()).endpoint);
}

unsafe fn process_all(
    instance: *mut c_void,
    compressing: i32,
    packets: *mut Packet,
    count: usize,
    details: *mut Detail,
) -> usize {
    let instance = &mut *instance.cast::<Instance>();
    for number in 0..count {
        let packet = &mut *packets.add(number);
        if !details.is_null() {
            *details.add(number) = abi::UNKNOWN;
        }
        instance.last = no_message();
        packet.out_length = 0; // else the length of an earlier message may stay
        let last: *mut MessageDetail = &mut instance.last;
        // Your library is called here. No panic crosses the ABI.
        let called = || library_process(instance.endpoint, compressing, packet, last);
        packet.status = catch_unwind(AssertUnwindSafe(called)).unwrap_or(abi::INTERNAL);
        if packet.status != abi::OK {
            packet.out_length = 0;
        }
    }
    count
}

// The number is `now_ns`, the only clock that your library may read.
unsafe extern "C" fn compress(self_: *mut c_void, packets: *mut Packet, n: usize, _: u64, d: *mut Detail) -> usize {
    process_all(self_, 1, packets, n, d)
}

unsafe extern "C" fn decompress(self_: *mut c_void, packets: *mut Packet, n: usize, _: u64, d: *mut Detail) -> usize {
    process_all(self_, 0, packets, n, d)
}

unsafe extern "C" fn statistics(instance: *const c_void, target: *mut c_char, capacity: usize) -> usize {
    let endpoint = (*instance.cast::<Instance>()).endpoint;
    let (memory, sessions) = (size_of::<Instance>() + library_memory(endpoint), library_sessions(endpoint));
    abi::put(&format!("{{\"memory_bytes\": {memory}, \"contexts\": {sessions}}}"), target, capacity)
}

unsafe extern "C" fn open(
    instance: *mut c_void,
    session: u32,
    json: *const c_char,
    error: *mut c_char,
    capacity: usize,
) -> i32 {
    library_open((*instance.cast::<Instance>()).endpoint, session, json, error, capacity)
}

unsafe extern "C" fn close(instance: *mut c_void, session: u32) -> i32 {
    library_close((*instance.cast::<Instance>()).endpoint, session)
}

unsafe extern "C" fn accept(instance: *mut c_void, session: u32) -> i32 {
    let instance = &mut *instance.cast::<Instance>();
    library_accept(instance.endpoint, session, &mut instance.last)
}

unsafe extern "C" fn message_detail(instance: *const c_void, detail: *mut MessageDetail) {
    let mut last = (*instance.cast::<Instance>()).last;
    last.struct_size = (*detail).struct_size;
    let size = size_of::<MessageDetail>().min(last.struct_size as usize);
    std::ptr::copy_nonoverlapping(std::ptr::addr_of!(last).cast::<u8>(), detail.cast::<u8>(), size);
}

static SESSIONS: Sessions =
    Sessions { struct_size: size_of::<Sessions>() as u32, reserved: 0, open, close, modify: None };
static MESSAGES: Messages =
    Messages { struct_size: size_of::<Messages>() as u32, reserved: 0, accept, detail: message_detail };

unsafe extern "C" fn extension(name: *const c_char) -> *const c_void {
    match CStr::from_ptr(name).to_bytes() {
        b"sessions" => std::ptr::addr_of!(SESSIONS).cast(),
        b"messages" => std::ptr::addr_of!(MESSAGES).cast(),
        _ => std::ptr::null(),
    }
}

static API: Api = Api {
    abi_version: abi::VERSION,
    struct_size: size_of::<Api>() as u32,
    describe,
    create,
    destroy,
    compress,
    decompress,
    statistics,
    drain: None,
    next_deadline: None,
    take_reverse: None,
    give_reverse: None,
    control: None,
    extension: Some(extension),
};

#[no_mangle]
pub extern "C" fn headroom_implementation() -> *const Api {
    &API
}
