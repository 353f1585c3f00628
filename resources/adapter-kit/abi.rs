// SPDX-License-Identifier: Apache-2.0
//! The ABI of headroom.h and its extensions, version 2.
#![allow(dead_code)]

use std::ffi::{c_char, c_void};

pub const VERSION: u32 = 2;
pub const COMPRESSOR: i32 = 1;
pub const DECOMPRESSOR: i32 = 2;

pub const OK: i32 = 0;
pub const NOTHING: i32 = 1;
pub const NO_SPACE: i32 = -1;
pub const MALFORMED: i32 = -2;
pub const NO_CONTEXT: i32 = -3;
pub const STATE: i32 = -4;
pub const CRC: i32 = -5;
pub const REPAIR: i32 = -6;
pub const UNSUPPORTED: i32 = -7;
pub const CHANNEL: i32 = -8;
pub const INTERNAL: i32 = -9;

pub const TYPE_LOST: u16 = 0xFFFF;
pub const NO_SESSION: u32 = u32::MAX;

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
#[derive(Clone, Copy)]
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

/// Nothing is known of the packet.
pub const UNKNOWN: Detail = Detail {
    cid: u32::MAX,
    profile: u16::MAX,
    plain_header: u16::MAX,
    compressed_header: u16::MAX,
    packet_type: u8::MAX,
    mode: u8::MAX,
    state: u8::MAX,
    event: u8::MAX,
    reserved: 0,
};

/// headroom_messages.h: `headroom_message_detail`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MessageDetail {
    pub struct_size: u32,
    pub kind: u8,
    pub flags: u8,
    pub reason: u8,
    pub opcode: u8,
    pub cycles: u64,
    pub pc: u16,
    pub code_length: u16,
    pub header_length: u32,
    pub compartment: u32,
    pub creations: u8,
    pub frees: u8,
    pub parameters: u8,
    pub version: u8,
    pub announced: u8,
    pub referred_length: u8,
    pub details_length: u8,
    pub returned_length: u8,
    pub requested_length: u8,
    pub reserved: [u8; 3],
    pub identifiers: [[u8; 20]; 4], // referred, created, details, named
    pub returned_feedback: [u8; 128],
    pub requested_feedback: [u8; 128],
}

/// headroom_user_plane.h: `headroom_user_packet`.
#[repr(C)]
pub struct UserPacket {
    pub octets: *mut u8,
    pub length: u32,
    pub room_before: u16,
    pub room_behind: u16,
    pub side: i32,
    pub status: i32,
    pub reason: u16,
    pub reserved: u16,
    pub more: u32,
}

pub type Instance = *mut c_void;
pub type Process = unsafe extern "C" fn(Instance, *mut Packet, usize, u64, *mut Detail) -> usize;
pub type Session = unsafe extern "C" fn(Instance, u32, *const c_char, *mut c_char, usize) -> i32;
pub type Reverse = unsafe extern "C" fn(Instance, *mut Packet, usize, u64) -> usize;

#[repr(C)]
pub struct Sessions {
    pub struct_size: u32,
    pub reserved: u32,
    pub open: Session,
    pub close: unsafe extern "C" fn(Instance, u32) -> i32,
    pub modify: Option<Session>,
}

#[repr(C)]
pub struct Messages {
    pub struct_size: u32,
    pub reserved: u32,
    pub accept: unsafe extern "C" fn(Instance, u32) -> i32,
    pub detail: unsafe extern "C" fn(*const c_void, *mut MessageDetail),
}

/// The functions for N4, which follow, are left out: the table may end in front of them.
#[repr(C)]
pub struct UserPlane {
    pub struct_size: u32,
    pub reserved: u32,
    pub add_worker: unsafe extern "C" fn(Instance, *mut c_char, usize) -> Instance,
    pub forward: unsafe extern "C" fn(Instance, *mut UserPacket, usize, u64),
    pub take: unsafe extern "C" fn(Instance, *mut UserPacket, usize, u64) -> usize,
}

#[repr(C)]
pub struct Api {
    pub abi_version: u32,
    pub struct_size: u32,
    pub describe: unsafe extern "C" fn(*mut c_char, usize) -> usize,
    pub create: unsafe extern "C" fn(i32, *const c_char, *mut c_char, usize) -> Instance,
    pub destroy: unsafe extern "C" fn(Instance),
    pub compress: Process,
    pub decompress: Process,
    pub statistics: unsafe extern "C" fn(*const c_void, *mut c_char, usize) -> usize,
    pub drain: Option<Process>,
    pub next_deadline: Option<unsafe extern "C" fn(*const c_void) -> u64>,
    pub take_reverse: Option<Reverse>,
    pub give_reverse: Option<Reverse>,
    pub control: Option<unsafe extern "C" fn(Instance, *const c_char, *mut c_char, usize) -> i32>,
    pub extension: Option<unsafe extern "C" fn(*const c_char) -> *const c_void>,
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
