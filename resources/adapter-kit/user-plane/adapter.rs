// SPDX-License-Identifier: Apache-2.0
//! @NAME@ as an adapter: turns the calls of headroom.h into those of your library. TODO: library.c, which build.rs
//! compiles, stands in for yours; call your crate in its place, and say in DESCRIPTION and implementation.yaml what
//! yours does.
mod abi;

use abi::{Api, Detail, Packet, UserPacket, UserPlane};
use std::ffi::{c_char, c_void, CStr};
use std::mem::size_of;
use std::panic::{catch_unwind, AssertUnwindSafe};

extern "C" {
    fn library_create(role: i32, config: *const c_char, error: *mut c_char, capacity: usize) -> *mut c_void;
    fn library_add_worker(first: *mut c_void, error: *mut c_char, capacity: usize) -> *mut c_void;
    fn library_destroy(library: *mut c_void);
    fn library_memory(library: *const c_void) -> usize;
    fn library_sessions(library: *const c_void) -> u32;
    fn library_forward(library: *mut c_void, packet: *mut UserPacket) -> i32;
    fn library_take(library: *mut c_void, packet: *mut UserPacket) -> i32;
}

const DESCRIPTION: &str = @DESCRIPTION@;

struct Instance {
    worker: *mut c_void,
}

fn instance_of(worker: *mut c_void) -> *mut c_void {
    if worker.is_null() {
        return worker;
    }
    Box::into_raw(Box::new(Instance { worker })).cast()
}

unsafe extern "C" fn describe(target: *mut c_char, capacity: usize) -> usize {
    abi::put(DESCRIPTION, target, capacity)
}

unsafe extern "C" fn create(role: i32, config: *const c_char, error: *mut c_char, capacity: usize) -> *mut c_void {
    instance_of(library_create(role, config, error, capacity)) // Your library is called here.
}

unsafe extern "C" fn destroy(instance: *mut c_void) {
    library_destroy(Box::from_raw(instance.cast::<Instance>()).worker);
}

unsafe extern "C" fn add_worker(first: *mut c_void, error: *mut c_char, capacity: usize) -> *mut c_void {
    instance_of(library_add_worker((*first.cast::<Instance>()).worker, error, capacity))
}

// The number is `now_ns`, the only clock that your library may read.
unsafe extern "C" fn forward(instance: *mut c_void, packets: *mut UserPacket, count: usize, _: u64) {
    let worker = (*instance.cast::<Instance>()).worker;
    for number in 0..count {
        let packet = &mut *packets.add(number);
        // Your library is called here. No panic crosses the ABI.
        let called = || library_forward(worker, packet);
        packet.status = catch_unwind(AssertUnwindSafe(called)).unwrap_or(abi::INTERNAL);
    }
}

unsafe extern "C" fn take(instance: *mut c_void, packets: *mut UserPacket, count: usize, _: u64) -> usize {
    let worker = (*instance.cast::<Instance>()).worker;
    (0..count).take_while(|&number| library_take(worker, packets.add(number)) != 0).count()
}

unsafe extern "C" fn statistics(instance: *const c_void, target: *mut c_char, capacity: usize) -> usize {
    let worker = (*instance.cast::<Instance>()).worker;
    let (memory, sessions) = (size_of::<Instance>() + library_memory(worker), library_sessions(worker));
    abi::put(&format!("{{\"memory_bytes\": {memory}, \"contexts\": {sessions}}}"), target, capacity)
}

/// A user plane forwards; it neither compresses nor decompresses.
unsafe extern "C" fn refuse(_: *mut c_void, packets: *mut Packet, count: usize, _: u64, _: *mut Detail) -> usize {
    for number in 0..count {
        (*packets.add(number)).out_length = 0;
        (*packets.add(number)).status = abi::UNSUPPORTED;
    }
    count
}

static USER_PLANE: UserPlane =
    UserPlane { struct_size: size_of::<UserPlane>() as u32, reserved: 0, add_worker, forward, take };

unsafe extern "C" fn extension(name: *const c_char) -> *const c_void {
    if CStr::from_ptr(name).to_bytes() == b"user-plane" {
        return std::ptr::addr_of!(USER_PLANE).cast();
    }
    std::ptr::null()
}

static API: Api = Api {
    abi_version: abi::VERSION,
    struct_size: size_of::<Api>() as u32,
    describe,
    create,
    destroy,
    compress: refuse,
    decompress: refuse,
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
