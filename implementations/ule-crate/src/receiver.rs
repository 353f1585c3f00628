// SPDX-License-Identifier: Apache-2.0
//! A receiver made of the crate: `ule::UleReceiver` reassembles SNDUs out of payloads, `ule::Sndu` checks and opens
//! them. What the crate leaves to its caller is here: the header of TS packets (RFC 4326, 3 and 7.3) and addresses.

use std::collections::VecDeque;

use serde_json::{json, Value};
use ule::{Error, MandatoryHType, Sndu, TypeField, UleReceiver};

use crate::abi;

const TS_OCTETS: usize = 188;
const FRAME: u16 = 0x6558;

pub struct Config {
    pub channels: u32,
    first_pid: u32,
    bridged: bool,
    npa: [u8; 6],
}

impl Config {
    pub fn read(text: &str) -> Result<Self, String> {
        let found: Value = serde_json::from_str(text).map_err(|e| format!("The configuration is no JSON: {e}."))?;
        if found["scheme"] != "ule" {
            return Err("The key \"scheme\" of the configuration must be \"ule\".".into());
        }
        let channels = number(&found, "channels", 1, 1, 8175)?;
        let first_pid = number(&found, "first_pid", 256, 16, 8191 - u64::from(channels))?;
        if !matches!(found["options"], Value::Null | Value::Object(_)) {
            return Err("\"options\" in the configuration must be an object.".into());
        }
        if let Some(unknown) = found["options"].as_object().and_then(|map| map.keys().find(|key| *key != "npa")) {
            return Err(format!("\"{unknown}\" in \"options\" is not known; only \"npa\" is."));
        }
        let npa = match found["options"]["npa"].as_str() {
            None => [2, 0, 0, 0, 0, 1],
            Some(text) => address(text).ok_or("\"npa\" must be an address such as \"02:00:00:00:00:01\".")?,
        };
        Ok(Self { channels, first_pid, bridged: found["bridged"] == true, npa })
    }
}

fn number(found: &Value, key: &str, default: u32, least: u64, most: u64) -> Result<u32, String> {
    match found.get(key) {
        None => Ok(default),
        Some(value) => match value.as_u64() {
            Some(number) if (least..=most).contains(&number) => Ok(number as u32),
            _ => Err(format!("\"{key}\" in the configuration must be a number from {least} to {most}.")),
        },
    }
}

fn address(text: &str) -> Option<[u8; 6]> {
    let octets: Option<Vec<u8>> = text.split(':').map(|part| u8::from_str_radix(part, 16).ok()).collect();
    octets?.try_into().ok()
}

#[derive(Default)]
struct Channel {
    receiver: UleReceiver,
    counter: Option<u8>,
}

/// An output: a unit with its type, or a status that says why there is none.
pub struct Outcome {
    pub status: i32,
    pub kind: u16,
    pub octets: Vec<u8>,
}

#[derive(Default)]
struct Counters {
    crc: u64,
    continuity: u64,
    transmission: u64,
    types: u64,
    lengths: u64,
    sync: u64,
    delivered: u64,
}

pub struct Receiver {
    config: Config,
    channels: Vec<Channel>,
    counters: Counters,
    pub waiting: VecDeque<Outcome>,
    pub channel: u32,
}

impl Receiver {
    pub fn new(config: Config) -> Self {
        let channels = (0..config.channels).map(|_| Channel::default()).collect();
        Self { config, channels, counters: Counters::default(), waiting: VecDeque::new(), channel: 0 }
    }

    /// Takes a TS packet; its outcomes wait in `waiting`.
    pub fn take(&mut self, packet: &[u8], channel: u32) {
        self.channel = channel;
        if packet.len() != TS_OCTETS || packet[0] != 0x47 {
            self.counters.sync += 1;
            return self.say(abi::MALFORMED);
        }
        let pid = u32::from(packet[1] & 0x1F) << 8 | u32::from(packet[2]);
        if pid != self.config.first_pid + channel {
            return;
        }
        let state = &mut self.channels[channel as usize];
        if packet[1] & 0x80 != 0 {
            self.counters.transmission += 1;
            state.receiver.reset();
            return self.say(abi::MALFORMED);
        }
        if packet[3] & 0x30 != 0x10 {
            self.counters.sync += 1;
            return self.say(abi::UNSUPPORTED);
        }
        let counter = packet[3] & 15;
        match state.counter.replace(counter) {
            Some(before) if counter == before => return,
            Some(before) if counter != (before + 1) & 15 => {
                self.counters.continuity += 1;
                state.receiver.reset();
            }
            _ => {}
        }
        for sndu in state.receiver.push(&packet[4..], packet[1] & 0x40 != 0) {
            self.open(&sndu);
        }
    }

    fn open(&mut self, octets: &[u8]) {
        let sndu = match Sndu::parse(octets) {
            Ok(sndu) => sndu,
            Err(Error::CrcMismatch { .. }) => {
                self.counters.crc += 1;
                return self.say(abi::CRC);
            }
            Err(_) => {
                self.counters.lengths += 1;
                return self.say(abi::MALFORMED);
            }
        };
        if sndu.dest_address.is_some_and(|npa| npa[0] & 1 == 0 && npa != self.config.npa) {
            return;
        }
        let pdu = sndu.payload.pdu;
        match sndu.payload.final_type {
            TypeField::EtherType(kind) => self.pass_on(kind, pdu),
            TypeField::NextHeader { h_type, .. } => match MandatoryHType::from_u8(h_type) {
                MandatoryHType::TestSndu => {}
                MandatoryHType::BridgedFrame => self.frame(pdu),
                _ => self.refuse(),
            },
            _ => self.refuse(),
        }
    }

    fn refuse(&mut self) {
        self.counters.types += 1;
        self.say(abi::UNSUPPORTED);
    }

    fn frame(&mut self, frame: &[u8]) {
        if frame.len() < 14 {
            self.counters.lengths += 1;
            return self.say(abi::MALFORMED);
        }
        let kind = u16::from_be_bytes([frame[12], frame[13]]);
        if self.config.bridged && kind >= 0x600 && frame.len() > 14 {
            self.pass_on(kind, &frame[14..]);
        } else {
            self.pass_on(FRAME, frame);
        }
    }

    fn pass_on(&mut self, kind: u16, octets: &[u8]) {
        if octets.is_empty() {
            self.counters.lengths += 1;
            return self.say(abi::MALFORMED);
        }
        self.counters.delivered += 1;
        self.waiting.push_back(Outcome { status: abi::OK, kind, octets: octets.to_vec() });
    }

    fn say(&mut self, status: i32) {
        self.waiting.push_back(Outcome { status, kind: 0, octets: Vec::new() });
    }

    pub fn channels(&self) -> usize {
        self.channels.len()
    }

    pub fn statistics(&self) -> String {
        let n = &self.counters;
        json!({
            "memory_bytes": 0,
            "contexts": self.channels.iter().filter(|one| one.counter.is_some()).count(),
            "delivered": n.delivered,
            "crc_errors": n.crc,
            "continuity_errors": n.continuity,
            "transmission_errors": n.transmission,
            "type_errors": n.types,
            "length_errors": n.lengths,
            "sync_errors": n.sync,
        })
        .to_string()
    }
}
