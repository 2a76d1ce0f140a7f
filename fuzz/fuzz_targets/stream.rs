#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| mars_fuzz_bodies::stream(octets));
