// What the page knows: what it was told by the server, and what the person has chosen.

import { Surface } from "./surface.js";
import { FRAME, TOPOLOGY, BOXES, CONTACTS, Caption, kindOf, look, readBoxes, readContacts, readTopology } from "./wire.js";

const MOST_WAITING = 16; // acknowledgements; the server lets two frames be under way

export class Session {
  constructor(gl) {
    this.gl = gl;
    this.mode = null;          // "live" or "playback"
    this.epoch = 0;
    this.client = 0;           // our number at the server
    this.hello = null;
    this.fields = [];          // what cloth can be coloured by, by its number on the wire
    this.state = { playing: false, speed: 1, faults: [], pins: [], held: [], grabs: [], dials: [] };
    this.runs = [];            // { info, moving, still, ready }
    this.toAcknowledge = new Uint32Array(MOST_WAITING); // numbers of frames that will be drawn
    this.waiting = 0;          // how many these are
    this.caption = new Caption();
    this.boxes = null;         // of the broad phase
    this.contacts = null;      // with impact zones
    this.frames = 0;           // taken so far
    this.wireBytes = 0;        // of the last frame
    this.listeners = {};
  }

  // Calls `act` whenever something of this name happens.
  on(name, act) {
    (this.listeners[name] ??= []).push(act);
  }

  tell(name, what) {
    const listeners = this.listeners[name];
    if (listeners) for (let k = 0; k < listeners.length; k++) listeners[k](what);
  }

  hear(message) {
    if (message instanceof ArrayBuffer) return this.hearBytes(message);
    switch (message.type) {
      case "hello": return this.begin(message);
      case "state":
        this.state = { pins: [], held: [], grabs: [], dials: [], speed: 1, ...message };
        return this.tell("state", this.state);
      default: return this.tell(message.type, message);
    }
  }

  // A new connection: what came through the old one is not acknowledged any more. A new beginning on the same connection
  // changes nothing about that: the server still counts what is under way.
  connected() {
    this.waiting = 0;
  }

  begin(hello) {
    for (const run of this.runs) {
      run.moving?.drop();
      run.still?.drop();
    }
    this.hello = hello;
    this.mode = hello.mode;
    this.epoch = hello.epoch;
    this.client = hello.client;
    // What was said of the old meshes means nothing on the new ones.
    this.state = { ...this.state, faults: [], pins: [], held: [], grabs: [] };
    this.fields = [];
    for (const field of hello.fields) this.fields[field.number] = field;
    this.boxes = this.contacts = null;
    this.runs = hello.runs.map((info) => ({ info, moving: null, still: null, ready: false }));
    this.tell("hello", hello);
  }

  hearBytes(buffer) {
    const halves = look(buffer);
    if (!halves) return;
    const kind = kindOf(halves);
    if (kind === FRAME) return this.hearFrame(buffer, halves);
    if (kind === TOPOLOGY) {
      const topology = readTopology(buffer);
      const run = this.runs[topology.run];
      if (!run || topology.epoch !== this.epoch) return;
      run.moving = new Surface(this.gl, topology.moving);
      run.still = new Surface(this.gl, topology.still);
      run.still.take(topology.stillFrame, look(topology.stillFrame));
      this.tell("topology", run);
    } else if (kind === BOXES) {
      const boxes = readBoxes(buffer);
      if (boxes.epoch === this.epoch) this.boxes = boxes;
      this.tell("redraw");
    } else if (kind === CONTACTS) {
      const contacts = readContacts(buffer);
      if (contacts.epoch === this.epoch) this.contacts = contacts;
      this.tell("redraw");
    }
  }

  hearFrame(buffer, halves) {
    const { caption } = this;
    caption.read(halves);
    if (this.mode === "live" && this.waiting < MOST_WAITING) this.toAcknowledge[this.waiting++] = caption.sequence;
    const run = caption.epoch === this.epoch ? this.runs[caption.run] : null;
    if (!run?.moving?.take(buffer, halves)) return;
    run.ready = true;
    this.frames++;
    this.wireBytes = buffer.byteLength;
    this.tell("frame", run);
  }

  // Upper end of the colours of all runs together: what is seen side by side is compared.
  get highest() {
    let high = 0;
    for (let k = 0; k < this.runs.length; k++) {
      if (this.runs[k].ready) high = Math.max(high, this.runs[k].moving.caption.range[1]);
    }
    return high;
  }

  // Time of what is drawn [s]: that of the run that goes on when the other has ended.
  get time() {
    let time = 0;
    for (let k = 0; k < this.runs.length; k++) {
      if (this.runs[k].ready) time = Math.max(time, this.runs[k].moving.caption.time);
    }
    return time;
  }

  // All vertices of the moving part of the first run that are drawn, if there is a frame.
  get cloth() {
    const run = this.runs[0];
    return run?.ready ? run.moving : null;
  }
}
