// SPDX-License-Identifier: Apache-2.0
//! The ABI of implementations/abi/headroom.h, version 2, as far as this adapter needs it.

use std::ffi::{c_char, c_void};

pub const VERSION: u32 = 2;
pub const DECOMPRESSOR: i32 = 2;

pub const OK: i32 = 0;
pub const NOTHING: i32 = 1;
pub const NO_SPACE: i32 = -1;
pub const MALFORMED: i32 = -2;
pub const CRC: i32 = -5;
pub const UNSUPPORTED: i32 = -7;
pub const CHANNEL: i32 = -8;
pub const INTERNAL: i32 = -9;

#[repr(C)]
pub struct Packet {
    pub input: *const u8,
    pub out: *mut u8,
    pub in_length: u32,
    pub out_capacity: u32,
    pub channel: u32,
    pub out_length: u32,
    pub status: i32,
    pub source: u32,
    pub in_type: u16,
    pub out_type: u16,
    pub more: u32,
}

#[repr(C)]
pub struct Detail {
    pub cid: u32,
    pub profile: u16,
    pub plain_header: u16,
    pub compressed_header: u16,
    pub packet_type: u8,
    pub mode: u8,
    pub state: u8,
    pub event: u8,
    pub reserved: u16,
}

pub type Text = unsafe extern "C" fn(*mut c_char, usize) -> usize;
pub type Process = unsafe extern "C" fn(*mut c_void, *mut Packet, usize, u64, *mut Detail) -> usize;

/// Functions behind `drain` are left out: the table may end in front of them.
#[repr(C)]
pub struct Api {
    pub abi_version: u32,
    pub struct_size: u32,
    pub describe: Text,
    pub create: unsafe extern "C" fn(i32, *const c_char, *mut c_char, usize) -> *mut c_void,
    pub destroy: unsafe extern "C" fn(*mut c_void),
    pub compress: Process,
    pub decompress: Process,
    pub statistics: unsafe extern "C" fn(*const c_void, *mut c_char, usize) -> usize,
    pub drain: Process,
}

/// Writes a text with its NUL where there is room; returns its length.
///
/// # Safety
/// `target` has room for `capacity` octets, or is null where `capacity` is 0.
pub unsafe fn put(text: &str, target: *mut c_char, capacity: usize) -> usize {
    if text.len() < capacity {
        std::ptr::copy_nonoverlapping(text.as_ptr(), target.cast::<u8>(), text.len());
        *target.add(text.len()) = 0;
    }
    text.len()
}
