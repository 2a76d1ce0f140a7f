// NDNts behind the line protocol of these tests: one JSON request a line in, one answer a line out.
// What the fields are called and how they are written is told in src/fields.rs.

import { createInterface } from "node:readline";
import { webcrypto } from "node:crypto";

// What Node 18 lacks of what NDNts takes for granted.
globalThis.crypto ??= webcrypto;
Array.prototype.toSpliced ??= function (...args) {
  const copy = [...this];
  copy.splice(...args);
  return copy;
};

const { Component, Data, digestSigning, FwHint, Interest, Name, Nack, NackHeader, SigInfo } =
  await import("@ndn/packet");
const { Fragmenter, LpPacket, Reassembler } = await import("@ndn/lp");
const { Decoder, Encoder } = await import("@ndn/tlv");
const { createSigner, createVerifier, Ed25519, HMAC } = await import("@ndn/keychain");
const { AltUri } = await import("@ndn/naming-convention2");

const hex = (octets) => Buffer.from(octets).toString("hex");
const unhex = (text) => new Uint8Array(Buffer.from(text, "hex"));
const encode = (packet) => Encoder.encode(packet);
const [INTEREST, DATA, LP] = [5, 6, 100];

// The keys that all stacks share.
const keys = JSON.parse(process.argv[2]);
const hmac = await HMAC.cryptoGenerate({ importRaw: unhex(keys.hmac) }, false);
const ed25519 = await Ed25519.cryptoGenerate({
  importPkcs8: [
    unhex(`302e020100300506032b657004220420${keys.ed25519_seed}`),
    unhex(`302a300506032b6570032100${keys.ed25519_public}`),
  ],
}, false);
const verifiers = {
  0: digestSigning,
  4: createVerifier(HMAC, hmac),
  5: createVerifier(Ed25519, ed25519),
};
const signers = { 0: digestSigning, 4: createSigner(HMAC, hmac), 5: createSigner(Ed25519, ed25519) };

const holds = (promise) => promise.then(() => true, () => false);
const comp = ({ type, value }) => `${type}=${hex(value)}`;
const uncomp = (text) => {
  const [type, value] = text.split("=");
  return new Component(Number(type), unhex(value));
};
const name = ({ comps }) => comps.map(comp);
const unname = (texts) => new Name(texts.map(uncomp));

// ----- reading

async function readSignature(packet, out) {
  const { sigInfo } = packet;
  out.sig_type = `${sigInfo.type}`;
  if (sigInfo.keyLocator?.name) { out.key_name = name(sigInfo.keyLocator.name); }
  if (sigInfo.keyLocator?.digest) { out.key_digest = hex(sigInfo.keyLocator.digest); }
  if (sigInfo.nonce) { out.sig_nonce = hex(sigInfo.nonce); }
  if (sigInfo.time !== undefined) { out.sig_time = `${sigInfo.time}`; }
  if (sigInfo.seqNum !== undefined) { out.sig_seq = `${sigInfo.seqNum}`; }
  if (sigInfo.validity) {
    const time = (n) => new Date(n).toISOString().replace(/[-:]|\.000Z/g, "");
    out.validity = [time(sigInfo.validity.notBefore), time(sigInfo.validity.notAfter)];
  }
  out.sig_value = hex(packet.sigValue);
  const verifier = verifiers[sigInfo.type];
  if (verifier) { out.verified = await holds(verifier.verify(packet)); }
}

async function readInterest(octets, out) {
  const interest = Decoder.decode(octets, Interest);
  out.name = name(interest.name);
  out.uri = AltUri.ofName(interest.name);
  if (interest.canBePrefix) { out.can_be_prefix = true; }
  if (interest.mustBeFresh) { out.must_be_fresh = true; }
  if (interest.fwHint) { out.hint = interest.fwHint.delegations.map(name); }
  if (interest.nonce !== undefined) { out.nonce = `${interest.nonce}`; }
  out.lifetime = `${interest.lifetime}`;
  out.hop_limit = `${interest.hopLimit}`;
  if (interest.appParameters) {
    out.parameters = hex(interest.appParameters);
    out.parameters_digest = await holds(interest.validateParamsDigest());
  }
  if (interest.sigInfo) { await readSignature(interest, out); }
}

async function readData(octets, out) {
  const data = Decoder.decode(octets, Data);
  out.name = name(data.name);
  out.uri = AltUri.ofName(data.name);
  out.content_type = `${data.contentType}`;
  out.freshness = `${data.freshnessPeriod}`;
  if (data.finalBlockId) { out.final_block = comp(data.finalBlockId); }
  out.content = hex(data.content);
  await readSignature(data, out);
}

async function readNetwork(octets, out) {
  switch (new Decoder(octets).read().type) {
    case INTEREST: {
      out.kind = out.nack === undefined ? "interest" : "nack";
      return readInterest(octets, out);
    }
    case DATA: {
      if (out.nack !== undefined) { throw new Error("Nack around a Data"); }
      out.kind = "data";
      return readData(octets, out);
    }
  }
  throw new Error("neither Interest nor Data");
}

function readLink(link, out) {
  if (link.fragSeqNum !== undefined) { out.sequence = `${link.fragSeqNum}`; }
  out.frag_index = `${link.fragIndex}`;
  out.frag_count = `${link.fragCount}`;
  if (link.pitToken) { out.pit_token = hex(link.pitToken); }
  if (link.nack) { out.nack = `${link.nack.reason}`; }
  if (link.congestionMark !== undefined) { out.congestion_mark = `${link.congestionMark}`; }
}

// As its LpService does, but for a fragment, which is told as it is.
async function read(octets) {
  const out = {};
  const top = new Decoder(octets).read();
  if (top.type !== LP) {
    await readNetwork(octets, out);
    return out;
  }
  const link = Decoder.decode(octets, LpPacket);
  readLink(link, out);
  if (!link.payload) {
    out.kind = "idle";
  } else if (link.fragCount > 1) {
    out.kind = "fragment";
    out.fragment = hex(link.payload);
  } else {
    await readNetwork(link.payload, out);
  }
  return out;
}

// ----- writing

async function sign(packet, fields) {
  const { sig_type, key_name, key_digest, sig_nonce, sig_time, sig_seq } = fields;
  packet.sigInfo = new SigInfo(
    ...(key_name ? [unname(key_name)] : []),
    ...(key_digest ? [unhex(key_digest)] : []),
    ...(sig_nonce ? [SigInfo.Nonce(unhex(sig_nonce))] : []),
    ...(sig_time ? [SigInfo.Time(Number(sig_time))] : []),
    ...(sig_seq ? [SigInfo.SeqNum(BigInt(sig_seq))] : []),
  );
  await signers[sig_type].sign(packet);
}

async function writeInterest(fields) {
  const interest = new Interest(unname(fields.name));
  interest.canBePrefix = !!fields.can_be_prefix;
  interest.mustBeFresh = !!fields.must_be_fresh;
  if (fields.hint) { interest.fwHint = new FwHint(fields.hint.map(unname)); }
  if (fields.nonce) { interest.nonce = Number(fields.nonce); }
  if (fields.lifetime) { interest.lifetime = Number(fields.lifetime); }
  if (fields.hop_limit) { interest.hopLimit = Number(fields.hop_limit); }
  if (fields.parameters !== undefined) {
    interest.appParameters = unhex(fields.parameters);
    await (fields.sig_type ? sign(interest, fields) : interest.updateParamsDigest());
  }
  return interest;
}

async function writeData(fields) {
  const data = new Data(unname(fields.name), unhex(fields.content ?? ""));
  if (fields.content_type) { data.contentType = Number(fields.content_type); }
  if (fields.freshness) { data.freshnessPeriod = Number(fields.freshness); }
  if (fields.final_block) { data.finalBlockId = uncomp(fields.final_block); }
  await sign(data, fields);
  return data;
}

async function write(fields) {
  const packet = encode(await (fields.kind === "data" ? writeData(fields) : writeInterest(fields)));
  const link = new LpPacket();
  link.payload = packet;
  if (fields.pit_token) { link.pitToken = unhex(fields.pit_token); }
  if (fields.nack !== undefined) { link.nack = new NackHeader(Number(fields.nack)); }
  if (fields.congestion_mark) { link.congestionMark = Number(fields.congestion_mark); }
  return link.hasL3Headers() ? encode(link) : packet;
}

// ----- the protocol

const requests = {
  decode: async ({ hex: octets }) => ({ fields: await read(unhex(octets)) }),
  encode: async ({ fields }) => ({ hex: hex(await write(fields)) }),
  fragment: async ({ hex: octets, mtu }) => {
    const top = new Decoder(unhex(octets)).read();
    const link = top.type === LP ? top.decoder.decode(LpPacket) : new LpPacket();
    link.payload ??= top.tlv;
    return { fragments: new Fragmenter().fragment(link, mtu).map((piece) => hex(encode(piece))) };
  },
  reassemble: async ({ fragments }) => {
    const reassembler = new Reassembler(16);
    const whole = fragments
      .map((piece) => reassembler.accept(Decoder.decode(unhex(piece), LpPacket)))
      .filter((link) => link !== undefined);
    return { whole: whole.map((link) => hex(link.hasL3Headers() ? encode(link) : link.payload)) };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  const answer = await requests[request.do](request).catch((error) => ({ refused: `${error.message}` }));
  console.log(JSON.stringify(answer));
}
