//! TLV-TYPE numbers: NDN packet format v0.3, `NDNLPv2`, and the MARS link header.

pub(crate) const INTEREST: u32 = 5;
pub(crate) const DATA: u32 = 6;
pub(crate) const NAME: u32 = 7;

pub(crate) const CAN_BE_PREFIX: u32 = 33;
pub(crate) const MUST_BE_FRESH: u32 = 18;
pub(crate) const FORWARDING_HINT: u32 = 30;
pub(crate) const NONCE: u32 = 10;
pub(crate) const INTEREST_LIFETIME: u32 = 12;
pub(crate) const HOP_LIMIT: u32 = 34;
pub(crate) const APPLICATION_PARAMETERS: u32 = 36;
pub(crate) const INTEREST_SIGNATURE_INFO: u32 = 44;
pub(crate) const INTEREST_SIGNATURE_VALUE: u32 = 46;

pub(crate) const META_INFO: u32 = 20;
pub(crate) const CONTENT_TYPE: u32 = 24;
pub(crate) const FRESHNESS_PERIOD: u32 = 25;
pub(crate) const FINAL_BLOCK_ID: u32 = 26;
pub(crate) const CONTENT: u32 = 21;
pub(crate) const SIGNATURE_INFO: u32 = 22;
pub(crate) const SIGNATURE_VALUE: u32 = 23;
pub(crate) const SIGNATURE_TYPE: u32 = 27;
pub(crate) const KEY_LOCATOR: u32 = 28;
pub(crate) const KEY_DIGEST: u32 = 29;
pub(crate) const SIGNATURE_NONCE: u32 = 38;
pub(crate) const SIGNATURE_TIME: u32 = 40;
pub(crate) const SIGNATURE_SEQ_NUM: u32 = 42;
pub(crate) const VALIDITY_PERIOD: u32 = 253;
pub(crate) const NOT_BEFORE: u32 = 254;
pub(crate) const NOT_AFTER: u32 = 255;

pub(crate) const LP_PACKET: u32 = 100;
pub(crate) const FRAGMENT: u32 = 80;
pub(crate) const SEQUENCE: u32 = 81;
pub(crate) const FRAG_INDEX: u32 = 82;
pub(crate) const FRAG_COUNT: u32 = 83;
pub(crate) const PIT_TOKEN: u32 = 98;
pub(crate) const NACK: u32 = 800;
pub(crate) const NACK_REASON: u32 = 801;
pub(crate) const INCOMING_FACE_ID: u32 = 812;
pub(crate) const NEXT_HOP_FACE_ID: u32 = 816;
pub(crate) const CACHE_POLICY: u32 = 820;
pub(crate) const CACHE_POLICY_TYPE: u32 = 821;
pub(crate) const CONGESTION_MARK: u32 = 832;
pub(crate) const ACK: u32 = 836;
pub(crate) const TX_SEQUENCE: u32 = 840;
pub(crate) const NON_DISCOVERY: u32 = 844;
pub(crate) const PREFIX_ANNOUNCEMENT: u32 = 848;
pub(crate) const MARS: u32 = 928;
