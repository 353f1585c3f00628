// SPDX-License-Identifier: Apache-2.0
//! The receiver of the crate `ule` as an adapter: the one symbol of implementations/abi/headroom.h.

mod abi;
mod receiver;

use std::ffi::{c_char, c_void, CStr};
use std::panic::{catch_unwind, AssertUnwindSafe};

use abi::{Api, Detail, Packet};
use receiver::{Config, Receiver};

const DESCRIPTION: &str = concat!(
    r#"{"name": "ule-crate", "version": "0.3.0", "build": "cargo --release", "licence": "MIT OR Apache-2.0", "schemes": [{"scheme": "ule", "roles": ["decompressor"], "#,
    r#""packs": true, "max_channels": 8175, "feedback": [], "features": [], "packing": ["packing", "padding"], "#,
    r#""address": ["present", "absent"], "options": ["npa"], "#,
    r#""types": {"IPv4": 2048, "IPv6": 34525, "Ethernet frame": 25944}, "#,
    r#""names": {"packet_types": ["SNDU"], "events": ["none"]}}]}"#,
);

unsafe extern "C" fn describe(target: *mut c_char, capacity: usize) -> usize {
    abi::put(DESCRIPTION, target, capacity)
}

unsafe extern "C" fn create(role: i32, text: *const c_char, error: *mut c_char, capacity: usize) -> *mut c_void {
    let made = if role != abi::DECOMPRESSOR {
        Err("The crate has no encapsulator: only the role 2, decompressor, is there.".to_string())
    } else if text.is_null() {
        Err("The configuration is missing.".to_string())
    } else {
        CStr::from_ptr(text).to_str().map_err(|e| e.to_string()).and_then(Config::read)
    };
    match made {
        Ok(config) => Box::into_raw(Box::new(Receiver::new(config))).cast(),
        Err(mut sentence) => {
            while sentence.len() >= capacity && sentence.pop().is_some() {}
            if capacity > 0 {
                abi::put(&sentence, error, capacity);
            }
            std::ptr::null_mut()
        }
    }
}

unsafe extern "C" fn destroy(instance: *mut c_void) {
    drop(Box::from_raw(instance.cast::<Receiver>()));
}

unsafe extern "C" fn compress(_: *mut c_void, packets: *mut Packet, count: usize, _: u64, _: *mut Detail) -> usize {
    for number in 0..count {
        (*packets.add(number)).out_length = 0;
        (*packets.add(number)).status = abi::UNSUPPORTED;
    }
    count
}

unsafe extern "C" fn decompress(
    instance: *mut c_void,
    packets: *mut Packet,
    count: usize,
    _: u64,
    details: *mut Detail,
) -> usize {
    let receiver = &mut *instance.cast::<Receiver>();
    for number in 0..count {
        let packet = &mut *packets.add(number);
        forget(details, number);
        packet.out_length = 0;
        packet.status = abi::NOTHING;
        if packet.channel as usize >= receiver.channels() {
            packet.status = abi::CHANNEL;
        } else if packet.in_length == 0 {
            packet.status = if packet.in_type == 0xFFFF { abi::NOTHING } else { abi::MALFORMED };
        } else {
            let octets = std::slice::from_raw_parts(packet.input, packet.in_length as usize);
            let channel = packet.channel;
            if catch_unwind(AssertUnwindSafe(|| receiver.take(octets, channel))).is_err() {
                packet.status = abi::INTERNAL;
            } else {
                put_out(receiver, packet);
            }
            if !receiver.waiting.is_empty() {
                packet.more = 1;
                return number + 1;
            }
        }
    }
    count
}

unsafe extern "C" fn drain(
    instance: *mut c_void,
    packets: *mut Packet,
    count: usize,
    _: u64,
    details: *mut Detail,
) -> usize {
    let receiver = &mut *instance.cast::<Receiver>();
    for number in 0..count {
        if receiver.waiting.is_empty() {
            return number;
        }
        let packet = &mut *packets.add(number);
        forget(details, number);
        packet.channel = receiver.channel;
        put_out(receiver, packet);
    }
    count
}

/// The next outcome that waits, if there is one.
unsafe fn put_out(receiver: &mut Receiver, packet: &mut Packet) {
    let Some(outcome) = receiver.waiting.pop_front() else { return };
    packet.status = outcome.status;
    packet.out_length = 0;
    if outcome.status != abi::OK {
        return;
    }
    if outcome.octets.len() > packet.out_capacity as usize {
        packet.status = abi::NO_SPACE;
        return;
    }
    std::ptr::copy_nonoverlapping(outcome.octets.as_ptr(), packet.out, outcome.octets.len());
    packet.out_length = outcome.octets.len() as u32;
    packet.out_type = outcome.kind;
}

unsafe fn forget(details: *mut Detail, number: usize) {
    if !details.is_null() {
        *details.add(number) = Detail {
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
    }
}

unsafe extern "C" fn statistics(instance: *const c_void, target: *mut c_char, capacity: usize) -> usize {
    abi::put(&(*instance.cast::<Receiver>()).statistics(), target, capacity)
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
    drain,
};

#[no_mangle]
pub extern "C" fn headroom_implementation() -> *const Api {
    &API
}
