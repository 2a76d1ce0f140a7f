"""python-ndn behind the line protocol of these tests: one JSON request a line in, one answer a line
out. What the fields are called and how they are written is told in src/fields.rs."""

import asyncio
import json
import sys

from Cryptodome.PublicKey import ECC
from ndn.encoding import (InterestParam, KeyLocator, MetaInfo, Name, Component,
                          make_data, make_interest, parse_data, parse_interest)
from ndn.encoding.ndnlp_v2 import LpPacket, LpPacketValue, NetworkNack, parse_lp_packet_v2
from ndn.encoding.tlv_var import parse_tl_num
from ndn.security import DigestSha256Signer, Ed25519Signer, HmacSha256Signer
from ndn.security.validator.digest_validator import params_sha256_checker, sha256_digest_checker
from ndn.security.validator.known_key_validator import Ed25519Checker, HmacChecker

# The keys that all stacks share.
KEYS = {name: bytes.fromhex(value) for name, value in json.loads(sys.argv[1]).items()}
ED25519_PRIVATE = bytes.fromhex('302e020100300506032b657004220420') + KEYS['ed25519_seed']
ED25519_PUBLIC = bytes.fromhex('302a300506032b6570032100') + KEYS['ed25519_public']
CHECKERS = {
    0: sha256_digest_checker,
    4: HmacChecker.from_key('/', KEYS['hmac']),
    5: Ed25519Checker.from_key('/', ED25519_PUBLIC),
}
INTEREST, DATA, LP = 5, 6, 100


def comp(component):
    return f'{Component.get_type(component)}={Component.get_value(component).hex()}'


def uncomp(text):
    typ, value = text.split('=')
    return Component.from_bytes(bytes.fromhex(value), int(typ))


def name(components):
    return [comp(component) for component in components]


def unname(texts):
    return [uncomp(text) for text in texts]


def holds(checker, packet_name, signature):
    return asyncio.run(checker(packet_name, signature))


# ----- reading

def put(out, key, value):
    if value is not None:
        out[key] = str(value)


def put_hex(out, key, value):
    if value is not None:
        out[key] = bytes(value).hex()


def read_signature(packet_name, pointers, intact, out):
    info = pointers.signature_info
    if info is None:
        return
    put(out, 'sig_type', info.signature_type)
    if info.key_locator is not None and info.key_locator.name is not None:
        out['key_name'] = name(info.key_locator.name)
    if info.key_locator is not None:
        put_hex(out, 'key_digest', info.key_locator.key_digest)
    if info.signature_nonce is not None:  # read as an integer, so zeros before it are lost
        out['sig_nonce'] = f'{info.signature_nonce:016x}'
    put(out, 'sig_time', info.signature_time)
    put(out, 'sig_seq', info.signature_seq_num)
    put_hex(out, 'sig_value', pointers.signature_value_buf)
    checker = CHECKERS.get(info.signature_type)
    if checker is not None:
        out['verified'] = intact and holds(checker, packet_name, pointers)


def read_interest(octets, out):
    packet_name, params, application, pointers = parse_interest(octets)
    out['name'] = name(packet_name)
    out['uri'] = Name.to_str(packet_name)
    if params.can_be_prefix:
        out['can_be_prefix'] = True
    if params.must_be_fresh:
        out['must_be_fresh'] = True
    if params.forwarding_hint:
        out['hint'] = [name(delegation) for delegation in params.forwarding_hint]
    put(out, 'nonce', params.nonce)
    put(out, 'lifetime', params.lifetime)
    put(out, 'hop_limit', params.hop_limit)
    put_hex(out, 'parameters', application)
    intact = True
    if application is not None:
        intact = out['parameters_digest'] = holds(params_sha256_checker, packet_name, pointers)
    read_signature(packet_name, pointers, intact, out)


def read_data(octets, out):
    packet_name, meta, content, pointers = parse_data(octets)
    out['name'] = name(packet_name)
    out['uri'] = Name.to_str(packet_name)
    put(out, 'content_type', meta.content_type)
    put(out, 'freshness', meta.freshness_period)
    if meta.final_block_id is not None:
        out['final_block'] = comp(meta.final_block_id)
    put_hex(out, 'content', content)
    read_signature(packet_name, pointers, True, out)


def read_network(octets, out):
    typ, _ = parse_tl_num(octets)
    if typ == INTEREST:
        out['kind'] = 'interest' if 'nack' not in out else 'nack'
        read_interest(octets, out)
    elif typ == DATA and 'nack' not in out:
        out['kind'] = 'data'
        read_data(octets, out)
    else:
        raise ValueError(f'a packet of type {typ} does not belong here')


def read_link(octets, out):
    link = parse_lp_packet_v2(octets)
    put_hex(out, 'pit_token', link.pit_token)
    if link.nack is not None:
        out['nack'] = '' if link.nack.nack_reason is None else str(link.nack.nack_reason)
    put(out, 'incoming_face_id', link.incoming_face_id)
    put(out, 'next_hop_face_id', link.next_hop_face_id)
    if link.cache_policy is not None:
        put(out, 'cache_policy', link.cache_policy.cache_policy_type)
    put(out, 'congestion_mark', link.congestion_mark)
    if link.ack is not None:
        out['acks'] = [str(int.from_bytes(link.ack, 'big'))]
    if link.tx_sequence is not None:
        put(out, 'tx_sequence', int.from_bytes(link.tx_sequence, 'big'))
    if link.non_discovery:
        out['non_discovery'] = True
    put_hex(out, 'prefix_announcement', link.prefix_announcement)
    return link.fragment


def read(octets):
    out = {}
    if parse_tl_num(octets)[0] != LP:
        read_network(octets, out)
        return out
    fragment = read_link(octets, out)
    if fragment is None:
        out['kind'] = 'idle'
    else:
        read_network(bytes(fragment), out)
    return out


# ----- writing

def signer(fields):
    if 'sig_type' not in fields:
        return None
    key_name = unname(fields.get('key_name', []))
    chosen = {
        '0': lambda: DigestSha256Signer(),
        '4': lambda: HmacSha256Signer(key_name, KEYS['hmac']),
        '5': lambda: Ed25519Signer(key_name, ED25519_PRIVATE),
    }[fields['sig_type']]()
    plain = chosen.write_signature_info

    def write_signature_info(info):
        plain(info)
        if 'key_name' in fields or 'key_digest' in fields:
            info.key_locator = KeyLocator()
        if 'key_name' in fields:
            info.key_locator.name = key_name
        if 'key_digest' in fields:
            info.key_locator.key_digest = bytes.fromhex(fields['key_digest'])
        if 'sig_nonce' in fields:
            info.signature_nonce = int(fields['sig_nonce'], 16)
        if 'sig_time' in fields:
            info.signature_time = int(fields['sig_time'])
        if 'sig_seq' in fields:
            info.signature_seq_num = int(fields['sig_seq'])

    chosen.write_signature_info = write_signature_info
    return chosen


def number(fields, key):
    return int(fields[key]) if key in fields else None


def octets_of(fields, key):
    return bytes.fromhex(fields[key]) if key in fields else None


def write_network(fields):
    if fields['kind'] == 'data':
        last = uncomp(fields['final_block']) if 'final_block' in fields else None
        meta = MetaInfo(number(fields, 'content_type'), number(fields, 'freshness'), last)
        return make_data(unname(fields['name']), meta, octets_of(fields, 'content'), signer(fields))
    params = InterestParam(
        can_be_prefix=fields.get('can_be_prefix', False),
        must_be_fresh=fields.get('must_be_fresh', False),
        nonce=number(fields, 'nonce'),
        lifetime=number(fields, 'lifetime'),
        hop_limit=number(fields, 'hop_limit'),
        forwarding_hint=[unname(hint) for hint in fields.get('hint', [])])
    return make_interest(unname(fields['name']), params, octets_of(fields, 'parameters'), signer(fields))


def write(fields):
    packet = bytes(write_network(fields))
    if not fields.keys() & {'nack', 'pit_token', 'congestion_mark'}:
        return packet
    link = LpPacketValue()
    link.pit_token = octets_of(fields, 'pit_token')
    if 'nack' in fields:
        link.nack = NetworkNack()
        if fields['nack']:
            link.nack.nack_reason = int(fields['nack'])
    link.congestion_mark = number(fields, 'congestion_mark')
    link.fragment = packet
    whole = LpPacket()
    whole.lp_packet = link
    return bytes(whole.encode())


# ----- the protocol

def answer(request):
    if request['do'] == 'decode':
        return {'fields': read(bytes.fromhex(request['hex']))}
    return {'hex': write(request['fields']).hex()}


for line in sys.stdin:
    try:
        print(json.dumps(answer(json.loads(line))), flush=True)
    except Exception as error:  # whatever it is, it is a refusal
        print(json.dumps({'refused': f'{type(error).__name__}: {error}'}), flush=True)
